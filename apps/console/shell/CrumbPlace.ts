/** The element in the top bar into which a page renders its breadcrumbs. */
import { createContext, useContext } from "react"

const Place = createContext<HTMLElement | null>(null)

export const CrumbPlace = Place.Provider

export const useCrumbPlace = (): HTMLElement | null => useContext(Place)
