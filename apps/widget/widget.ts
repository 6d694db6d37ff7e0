/** The script that a page loads. Defines `<parley-widget>`, and adds one if the script tag has a `data-key`. */
import { ParleyWidget } from "./ParleyWidget.ts"

const { currentScript } = document

// The page may load the script twice, but an element can be defined only once.
if (customElements.get("parley-widget") === undefined) customElements.define("parley-widget", ParleyWidget)

const key = currentScript?.dataset["key"]
if (key !== undefined) {
  const place = () => {
    const element = document.createElement("parley-widget")
    element.setAttribute("key", key)
    document.body.append(element)
  }
  if (document.body === null) addEventListener("DOMContentLoaded", place, { once: true })
  else place()
}
