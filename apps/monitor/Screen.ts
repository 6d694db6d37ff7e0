/**
 * Renders the board as lines of a terminal, 40 to 80 columns wide. Words and shapes say everything; colour only adds to
 * them. Pure functions only.
 */
import type { ChalkInstance } from "chalk"
import stringWidth from "string-width"
import type { Board, Row } from "./Board.ts"
import { cellsOf, outcomes } from "./Outcomes.ts"
import { done, percent, type Snapshot } from "./Snapshot.ts"
import * as Words from "./Words.ts"

export interface Look {
  readonly account: string
  readonly columns: number
  readonly rows: number
  readonly chalk: ChalkInstance
  readonly now: Date
  /** True if the monitor follows one campaign, false if it follows all running ones. */
  readonly isOne: boolean
}

const talk = "#39BBA0"
const warn = "#E6B04A"
const narrowest = 40
const mostMinutes = 20
const widest = 80

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
const steps = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/** A bar of `exact` cells, drawn in eighths of a cell. A value above zero is always visible. */
const fine = (exact: number): string => {
  const parts = exact === 0 ? 0 : Math.max(1, Math.round(exact * 8))
  return "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "")
}

const sparkline = (values: ReadonlyArray<number>): string => {
  const most = Math.max(...values, 1)
  return values.map((value) => steps[Math.round((value / most) * (steps.length - 1))] ?? "").join("")
}

/** `text`, cut with an ellipsis if it is wider than `width` columns. */
const clip = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text
  let kept = ""
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= width) break
    kept += segment
  }
  return `${kept}…`
}

/** Puts a text at each end of the line. The left one is cut if both do not fit. */
const ends = (left: string, right: string, width: number, bold: (text: string) => string = String): string => {
  const room = Math.max(1, width - stringWidth(right) - 2)
  const shown = clip(left, room)
  return bold(shown) + " ".repeat(Math.max(1, width - stringWidth(shown) - stringWidth(right))) + right
}

const progress = (snapshot: Snapshot, width: number, chalk: ChalkInstance): string => {
  const ended = done(snapshot)
  const { total } = snapshot.counts
  const of = width < 60 ? `${ended}/${total}` : `${Words.number(ended)} of ${Words.number(total)}`
  const tail = `${`${percent(ended, total)}%`.padStart(5)}${of.padStart(Math.max(width < 60 ? 10 : 16, of.length + 2))}`
  const room = Math.max(1, width - tail.length)
  const cells = cellsOf(snapshot, room)
  const filled = cells.reduce((sum, part) => sum + part.cells, 0)
  const bar = cells.map(({ cells, outcome }) =>
    chalk.hex(outcome.colour)((chalk.level === 0 ? outcome.shade : "█").repeat(cells)),
  )
  return bar.join("") + chalk.dim("·".repeat(room - filled)) + tail
}

const table = ({ outcomes: counts }: Snapshot, width: number, chalk: ChalkInstance): ReadonlyArray<string> => {
  const known = new Set(outcomes.map(({ name }) => name))
  const others = Object.keys(counts).filter((name) => !known.has(name))
  const rows = [
    ...outcomes,
    ...others.map((name) => ({ name, word: Words.harmless(name), glyph: "?", colour: "#93948B" })),
  ]
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const room = Math.max(0, width - 36)
  return rows.map(({ colour, glyph, name, word }) => {
    const count = counts[name] ?? 0
    const share = count > 0 && count * 100 < all ? "<1%" : `${percent(count, all)}%`
    const figures = `${clip(word, 14).padEnd(14)}${Words.number(count).padStart(8)}${share.padStart(5)}`
    return `  ${chalk.hex(colour)(glyph)} ${figures}   ${chalk.hex(colour)(fine(all === 0 ? 0 : (room * count) / all))}`.trimEnd()
  })
}

/** The rate, the last minutes, and the end of the campaign. The end has its own line if one line is too short. */
const pace = ({ pace }: Row, snapshot: Snapshot, { chalk, now }: Look, width: number): ReadonlyArray<string> => {
  const rate = `  ${Words.number(snapshot.calls_per_minute)} calls/min`
  const end = Words.end(snapshot, now)
  const isOneLine = rate.length + 3 + end.length <= width
  const room = width - rate.length - 2 - (isOneLine && end !== "" ? end.length + 3 : 0)
  const minutes = pace.slice(-mostMinutes).slice(-Math.max(0, room))
  const line = room > 0 && minutes.length > 0 ? `  ${chalk.hex(talk)(sparkline(minutes))}` : ""
  if (end === "") return [rate + line]
  return isOneLine ? [`${rate}${line}   ${end}`] : [rate + line, `  ${end}`]
}

/** One campaign: four lines, or the table of its outcomes if it is open. */
const block = (row: Row, isOpen: boolean, look: Look, width: number): ReadonlyArray<string> => {
  const { chalk, now } = look
  const { campaign, cut, endedAt, snapshot } = row
  if (snapshot === undefined)
    return [chalk.bold(clip(campaign.name, width)), chalk.dim("  Waiting for its first figures.")]
  const head = ends(campaign.name, Words.state(snapshot), width, chalk.bold)
  const bar = progress(snapshot, width, chalk)
  const rows = isOpen ? ["", ...table(snapshot, width, chalk), ""] : []
  if (endedAt !== undefined) {
    return [head, bar, ...rows, `  ${clip(`Ended: ${Words.ending(campaign.end_reason)}.`, width - 2)}`]
  }
  if (cut !== undefined) {
    const age = Words.duration((now.getTime() - cut.at) / 1_000)
    const text = `Connection lost ${age} ago: ${cut.why}. Reconnecting. Dialling continues without this monitor.`
    return [head, bar, ...rows, ...wrap(text, width - 2).map((line) => `  ${chalk.hex(warn)(line)}`)].map((line, at) =>
      at < 2 + rows.length ? chalk.dim(line) : line,
    )
  }
  const { isStanding, text } = Words.wait(snapshot, now)
  const why = wrap(text, width - 2).map((line) => `  ${isStanding ? chalk.hex(warn)(line) : chalk.dim(line)}`)
  return [head, bar, ...rows, ...pace(row, snapshot, look, width), ...why]
}

const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ").filter((part) => part !== "")) {
    const last = lines.at(-1)
    if (last !== undefined && stringWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(clip(word, width))
  }
  return lines
}

const header = (board: Board, { account, chalk, isOne, now }: Look, width: number): string => {
  const running = board.rows.filter(({ snapshot }) => snapshot?.status === "running").length
  const lost = board.rows.some(({ cut }) => cut !== undefined) || board.listLost !== undefined
  const sign = lost ? chalk.hex(warn)("○ connection lost") : chalk.hex(talk)("● live")
  const left = `${chalk.bold("Parley")}  ${account}${isOne ? "" : `  ${running} running`}`
  return ends(left, `${sign}  ${Words.clock(now)}`, width)
}

const keys = (isOne: boolean) =>
  ["q quit", ...(isOne ? [] : ["↑↓ campaign"]), "↵ its address", "p plain lines"].join("   ")

/** As many campaigns as fit, including the chosen one. */
const fit = (blocks: ReadonlyArray<ReadonlyArray<string>>, chosen: number, room: number) => {
  let first = chosen
  let last = chosen
  const height = () => blocks.slice(first, last + 1).reduce((sum, lines) => sum + lines.length + 1, 0)
  while (true) {
    const tall = height()
    const below = blocks[last + 1]
    const above = blocks[first - 1]
    if (below !== undefined && tall + below.length + 2 <= room) last++
    else if (above !== undefined && tall + above.length + 2 <= room) first--
    else return { first, last }
  }
}

export const draw = (board: Board, look: Look): ReadonlyArray<string> => {
  const { chalk } = look
  const width = Math.max(narrowest, Math.min(widest, look.columns - 1))
  const chosen = Math.max(
    0,
    board.rows.findIndex(({ campaign }) => campaign.id === board.chosen),
  )
  const blocks = board.rows.map((row, at) => block(row, at === chosen, look, width))
  const { first, last } = fit(blocks, chosen, look.rows - 6)
  const shown = blocks.slice(first, last + 1).flatMap((lines) => [...lines, ""])
  const hidden = blocks.length - (last - first + 1)
  const more = hidden > 0 ? [chalk.dim(`… ${Words.plural(hidden, "more campaign")}`), ""] : []
  const none = board.rows.length === 0 ? ["No campaign is running. The next one appears here.", ""] : []
  const used = 2 + shown.length + more.length + none.length + 2
  const room = Math.max(0, Math.min(5, look.rows - used - 1))
  const notes = (room === 0 ? [] : board.notes.slice(-room)).map(({ at, text }) =>
    chalk.dim(clip(`${Words.clock(new Date(at))}  ${text}`, width)),
  )
  return [
    header(board, look, width),
    "",
    ...shown,
    ...more,
    ...none,
    ...notes,
    ...(notes.length > 0 ? [""] : []),
    chalk.dim(clip(keys(look.isOne), width)),
  ]
}

/** The last screen, which stays in the terminal: the outcomes, and how the campaign ended. */
export const farewell = (row: Row, columns: number, chalk: ChalkInstance): ReadonlyArray<string> => {
  const width = Math.max(narrowest, Math.min(widest, columns - 1))
  const { campaign, snapshot } = row
  if (snapshot === undefined) return []
  const { cost, counts, dialed, status } = snapshot
  const sum = `${Words.plural(dialed, "call")}, ${cost.amount.toFixed(2)} ${Words.harmless(cost.currency)}`
  const contacts = `${Words.number(counts.completed)} reached, ${Words.number(counts.failed)} not reached, ${Words.number(counts.skipped)} skipped`
  // The snapshot of a campaign that ended earlier has the time at which it was requested.
  const ended = Words.clock(new Date(campaign.ended_at ?? snapshot.at))
  return [
    ends(campaign.name, status, width, chalk.bold),
    progress(snapshot, width, chalk),
    "",
    ...table(snapshot, width, chalk),
    "",
    `  ${contacts}; ${sum}.`,
    `  ${status} ${ended}, ${Words.ending(campaign.end_reason)} (end_reason ${Words.harmless(campaign.end_reason ?? "-")}).`,
  ]
}
