/** The look of a widget whose key sets no theme. Without a schema, so that a browser can load it cheaply. */
import type { WidgetTheme } from "./WidgetKey.ts"

export const defaultTheme: WidgetTheme = {
  color: "#1a1b19",
  mode: "system",
  position: "bottom-right",
  label: "Talk to us",
  notice: "You are talking to an AI. This conversation may be recorded.",
}
