/** Adapts the customer's colour so that text on it stays readable (WCAG 2.2, 4.5 : 1). */

const channels = (hex: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)

const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(hex).map((value) =>
    value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const mix = (hex: string, towards: number, share: number): string =>
  `#${channels(hex)
    .map((value) => Math.round((value + (towards - value) * share) * 255))
    .map((value) => value.toString(16).padStart(2, "0"))
    .join("")}`

export interface Fill {
  readonly fill: string
  readonly text: string
}

const enough = 4.5
/** The least contrast between a button and the panel behind it. */
const seen = 1.35

/**
 * The fill, and white or ink as its text colour, whichever has more contrast. The fill is shifted away from the ground
 * and from the text until both contrasts suffice.
 */
export const fillOf = (colour: string, ground: string): Fill => {
  const isDark = luminance(ground) < 0.2
  const start = contrast(colour, ground) < seen ? mix(colour, isDark ? 1 : 0, isDark ? 0.92 : 0.88) : colour
  const text = contrast(start, "#ffffff") >= contrast(start, "#1a1b19") ? "#ffffff" : "#1a1b19"
  for (let share = 0; share < 1; share += 0.05) {
    const fill = mix(start, text === "#ffffff" ? 0 : 1, share)
    if (contrast(fill, text) >= enough) return { fill, text }
  }
  return { fill: text === "#ffffff" ? "#000000" : "#ffffff", text }
}
