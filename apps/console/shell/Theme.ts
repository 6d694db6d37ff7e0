/** Light, dark, or as the system says: the choice of this browser. */
import { useSyncExternalStore } from "react"

export type Theme = "system" | "light" | "dark"

const place = "parley.theme"
const listeners = new Set<() => void>()

export const currentTheme = (): Theme => {
  const theme = localStorage.getItem(place)
  return theme === "light" || theme === "dark" ? theme : "system"
}

export const choose = (theme: Theme): void => {
  if (theme === "system") {
    localStorage.removeItem(place)
    delete document.documentElement.dataset["theme"]
  } else {
    localStorage.setItem(place, theme)
    document.documentElement.dataset["theme"] = theme
  }
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentTheme)
