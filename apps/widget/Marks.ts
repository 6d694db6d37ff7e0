/** The widget's drawings: the two arcs, and some of Tabler's icons. */
import { svg, type TemplateResult } from "lit"

const draw = (size: number, width: number, paths: TemplateResult) => svg`
  <svg width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width=${width}
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`

/** Parley's mark: the two speakers as arcs. */
export const mark = (size: number) =>
  draw(
    size,
    3.4,
    svg`<path d="M9.8 3.2A8.6 8.6 0 0 0 9.8 18.4"/><path class="talk" d="M14.2 5.6A8.6 8.6 0 0 1 14.2 20.8"/>`,
  )

/** The agent's arc, shown before its lines. */
export const arc = draw(14, 3.4, svg`<path class="talk" d="M9 4A8.6 8.6 0 0 1 9 20"/>`)

const icon = (path: TemplateResult) => draw(18, 1.6, path)

export const down = icon(svg`<path d="M6 9l6 6l6 -6"/>`)
export const close = icon(svg`<path d="M18 6l-12 12M6 6l12 12"/>`)
export const phone = icon(
  svg`<path d="M5 4h4l2 5l-2.5 1.5a11 11 0 0 0 5 5l1.5 -2.5l5 2v4a2 2 0 0 1 -2 2a16 16 0 0 1 -15 -15a2 2 0 0 1 2 -2"/>`,
)
export const microphone = icon(svg`<path d="M9 5a3 3 0 0 1 6 0v5a3 3 0 0 1 -6 0zM5 10a7 7 0 0 0 14 0M8 21h8M12 17v4"/>`)
export const muted = icon(
  svg`<path d="M3 3l18 18M9 5a3 3 0 0 1 6 0v5a3 3 0 0 1 -.13 .87M12.9 12.9a3 3 0 0 1 -3.9 -2.9v-1M5 10a7 7 0 0 0 10.8 5.8M17.9 13.8a7 7 0 0 0 1.1 -3.8M8 21h8M12 17v4"/>`,
)
export const send = icon(svg`<path d="M12 5v14M16 9l-4 -4M8 9l4 -4"/>`)
