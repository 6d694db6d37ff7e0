/** The place in the top bar that a page writes its crumbs into. */
import { createContext, useContext } from "react"

const Place = createContext<HTMLElement | null>(null)

export const CrumbPlace = Place.Provider

export const useCrumbPlace = (): HTMLElement | null => useContext(Place)
