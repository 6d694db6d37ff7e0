/** The one script of a page: knows the element `<parley-widget>`, and makes one if the script tag has a `data-key`. */
import { ParleyWidget } from "./ParleyWidget.ts"

const { currentScript } = document

// Twice in a page it is still one element's name.
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
