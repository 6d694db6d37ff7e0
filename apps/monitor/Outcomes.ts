/** The outcomes of calls with the same order, words, shapes and colours as in the console. */
import { done, type Snapshot } from "./Snapshot.ts"

export interface Outcome {
  readonly name: string
  readonly word: string
  readonly glyph: string
  readonly colour: string
  /** The character of a bar's cell where colours cannot tell the parts apart. */
  readonly shade: string
}

const outcome = (name: string, glyph: string, colour: string, shade: string, word = name.replaceAll("_", " ")) => ({
  name,
  word,
  glyph,
  colour,
  shade,
})

/** Best first. */
export const outcomes: ReadonlyArray<Outcome> = [
  outcome("answered", "●", "#39BBA0", "█"),
  outcome("voicemail", "◐", "#82DEE8", "▓"),
  outcome("no_answer", "○", "#8B8A80", "▒"),
  outcome("busy", "◒", "#F7CA66", "▒"),
  outcome("rejected", "⊘", "#C846A0", "░", "declined"),
  outcome("invalid_number", "×", "#887CF3", "░"),
  outcome("carrier_error", "▲", "#F5834A", "░"),
  outcome("unknown", "◇", "#ECECE6", "░"),
]

const skipped: Outcome = outcome("skipped", "»", "#6C6B5E", "╱")

export interface Part {
  readonly outcome: Outcome
  readonly count: number
}

/**
 * The contacts that are done, by outcome; the parts add up to `done`. The snapshot counts calls by outcome and contacts
 * by status. A call that was answered, rejected, placed to an invalid number or ended unknown ends its contact, so
 * those calls count as contacts. The other failed contacts have no attempts left, and are divided in proportion to the
 * other unsuccessful calls.
 */
export const partsOf = (snapshot: Snapshot): ReadonlyArray<Part> => {
  const { completed, failed, skipped: left } = snapshot.counts
  const calls = (name: string) => snapshot.outcomes[name] ?? 0
  const counts = new Map<string, number>()
  const answered = Math.min(calls("answered"), completed)
  counts.set("answered", answered).set("voicemail", completed - answered)
  let rest = failed
  for (const name of ["rejected", "invalid_number", "unknown"]) {
    const count = Math.min(calls(name), rest)
    counts.set(name, count)
    rest -= count
  }
  const exhausted = ["no_answer", "busy", "carrier_error"]
  let weight = exhausted.reduce((sum, name) => sum + calls(name), 0)
  for (const name of exhausted) {
    const count = weight === 0 ? (name === "no_answer" ? rest : 0) : Math.round((rest * calls(name)) / weight)
    counts.set(name, count)
    rest -= count
    weight -= calls(name)
  }
  return [
    ...outcomes.map((outcome) => ({ outcome, count: counts.get(outcome.name) ?? 0 })),
    { outcome: skipped, count: left },
  ].filter(({ count }) => count > 0)
}

/**
 * The cells of a bar of `width` that each part gets. The share of filled cells is that of `done` in `total`. Every part
 * gets a cell if there is room for all.
 */
export const cellsOf = (snapshot: Snapshot, width: number): ReadonlyArray<{ outcome: Outcome; cells: number }> => {
  const parts = partsOf(snapshot)
  const { total } = snapshot.counts
  const ended = done(snapshot)
  if (ended === 0 || total === 0) return []
  const filled = ended === total ? width : Math.min(width - 1, Math.max(1, Math.round((width * ended) / total)))
  const shares = parts.map(({ count, outcome }) => ({
    outcome,
    exact: (filled * count) / ended,
    cells: filled < parts.length ? 0 : Math.max(1, Math.floor((filled * count) / ended)),
  }))
  const given = () => shares.reduce((sum, { cells }) => sum + cells, 0)
  while (given() !== filled) {
    const step = given() < filled ? 1 : -1
    // Move one cell at the outcome that is furthest from its exact share, but never take an outcome's last cell.
    const next = shares
      .filter(({ cells }) => step > 0 || cells > 1)
      .reduce((most, share) => (step * (share.exact - share.cells) > step * (most.exact - most.cells) ? share : most))
    next.cells += step
  }
  return shares.filter(({ cells }) => cells > 0)
}
