/** A result of a drill and its goal. */
export interface Figure {
  readonly what: string
  /** The value as shown in the table. */
  readonly value: string
  readonly goal: string
  readonly isMet: boolean
}

export const atMost = (what: string, value: number, goal: number, unit = ""): Figure => ({
  what,
  value: `${rounded(value)}${unit}`,
  goal: goal === 0 ? "0" : `≤ ${rounded(goal)}${unit}`,
  isMet: value <= goal,
})

export const atLeast = (what: string, value: number, goal: number, unit = ""): Figure => ({
  what,
  value: `${rounded(value)}${unit}`,
  goal: `≥ ${rounded(goal)}${unit}`,
  isMet: value >= goal,
})

export const holds = (what: string, isMet: boolean): Figure => ({
  what,
  value: isMet ? "yes" : "no",
  goal: "yes",
  isMet,
})

const rounded = (value: number): string =>
  Number.isFinite(value) ? String(Math.round(value * 100) / 100) : String(value)
