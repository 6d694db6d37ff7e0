/** Places the labels below a chart so that none overlaps another or is cut off. */

export interface AxisLabel {
  /** The index of its bar. */
  readonly at: number
  readonly word: string
}

export interface PlacedLabel extends AxisLabel {
  /** The left edge, in pixels from the chart's. */
  readonly left: number
}

export interface Bars {
  readonly count: number
  readonly leftOf: (at: number) => number
  readonly width: number
}

/** The width of a letter at 11 px, in pixels, rounded up. */
const letter = 6.5
const apart = 8

const widthOf = (word: string): number => word.length * letter

/**
 * The first label starts at its bar's left edge, the last ends at its bar's right edge. Between them, as many as fit.
 */
export const placeLabels = (labels: ReadonlyArray<AxisLabel>, bars: Bars): ReadonlyArray<PlacedLabel> => {
  const placed = labels.map(({ at, word }, index): PlacedLabel => {
    const left = bars.leftOf(at)
    const wide = widthOf(word)
    if (at === bars.count - 1) return { at, word, left: Math.max(left + bars.width - wide, 0) }
    return { at, word, left: index === 0 ? left : left + (bars.width - wide) / 2 }
  })
  const last = placed.at(-1)
  const shown: Array<PlacedLabel> = []
  let free = Number.NEGATIVE_INFINITY
  for (const label of placed) {
    const end = label.left + widthOf(label.word) + apart
    if (label !== last && (label.left < free || end > (last?.left ?? Number.POSITIVE_INFINITY))) continue
    shown.push(label)
    free = end
  }
  return shown
}
