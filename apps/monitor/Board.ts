/** The monitor's state at one instant: campaigns, their last snapshots and notes. Pure functions only. */
import { carrierTrouble } from "./Trouble.ts"
import type { Snapshot } from "./Snapshot.ts"
import { duration, ending, harmless, number } from "./Words.ts"

export interface Campaign {
  readonly id: string
  readonly name: string
  readonly end_reason: string | null
  readonly ended_at: string | null
}

export interface Row {
  readonly campaign: Campaign
  readonly snapshot: Snapshot | undefined
  /** The count of calls begun in each of the last minutes. */
  readonly pace: ReadonlyArray<number>
  readonly cut: { readonly at: number; readonly why: string } | undefined
  readonly endedAt: number | undefined
  /** The count of calls that had failed at the carrier at the last note about them. */
  readonly carrierErrors: number
}

export interface Note {
  readonly at: number
  readonly text: string
}

export interface Board {
  readonly rows: ReadonlyArray<Row>
  readonly chosen: string | undefined
  readonly notes: ReadonlyArray<Note>
  /** Why the last request for the list of running campaigns failed. */
  readonly listLost: { readonly at: number; readonly why: string } | undefined
}

export const empty: Board = { rows: [], chosen: undefined, notes: [], listLost: undefined }

const mostNotes = 50

export const note = (board: Board, at: number, text: string): Board => ({
  ...board,
  notes: [...board.notes, { at, text }].slice(-mostNotes),
})

export const find = (board: Board, id: string): Row | undefined => board.rows.find(({ campaign }) => campaign.id === id)

const change = (board: Board, id: string, how: (row: Row) => Row): Board => ({
  ...board,
  rows: board.rows.map((row) => (row.campaign.id === id ? how(row) : row)),
})

/** Appends, so that no row moves while it is read. */
export const add = (board: Board, { end_reason, ended_at, id, name }: Campaign): Board => {
  if (find(board, id) !== undefined) return board
  const campaign = { id, name: harmless(name), end_reason, ended_at }
  const row: Row = {
    campaign,
    snapshot: undefined,
    pace: [],
    cut: undefined,
    endedAt: undefined,
    carrierErrors: 0,
  }
  return { ...board, rows: [...board.rows, row], chosen: board.chosen ?? id }
}

export const remove = (board: Board, id: string): Board => {
  const rows = board.rows.filter(({ campaign }) => campaign.id !== id)
  const chosen = board.chosen === id ? rows[0]?.campaign.id : board.chosen
  return { ...board, rows, chosen }
}

const withName = (board: Board, id: string, text: string) =>
  board.rows.length > 1 ? `${find(board, id)?.campaign.name}: ${text}` : text

export const onSnapshot = (board: Board, id: string, snapshot: Snapshot, at: number): Board => {
  const row = find(board, id)
  if (row === undefined) return board
  const trouble = carrierTrouble(row.carrierErrors, snapshot, row.snapshot === undefined)
  const next = change(board, id, (row) => ({ ...row, snapshot, carrierErrors: trouble.known }))
  const moved = row.snapshot !== undefined && row.snapshot.status !== snapshot.status
  const told = moved ? note(next, at, withName(next, id, `is ${snapshot.status}`)) : next
  return trouble.text === undefined ? told : note(told, at, withName(told, id, trouble.text))
}

export const onPace = (board: Board, id: string, pace: ReadonlyArray<number>): Board =>
  change(board, id, (row) => ({ ...row, pace }))

/** Keeps the last figures. The screen shows how old they are. */
export const onCut = (board: Board, id: string, why: string, at: number): Board =>
  change(board, id, (row) => ({ ...row, cut: { at, why: harmless(why) } }))

export const onBack = (board: Board, id: string, lastEventId: string, at: number): Board => {
  const row = find(board, id)
  if (row?.cut === undefined) return board
  const away = (at - row.cut.at) / 1_000
  const after = away < 10 ? `${away.toFixed(1)} s` : duration(away)
  const place = lastEventId === "" ? "" : ` at event ${harmless(lastEventId)}`
  const text = `connection lost (${row.cut.why}), back after ${after}${place}, nothing missed`
  return note(
    change(board, id, (row) => ({ ...row, cut: undefined })),
    at,
    withName(board, id, text),
  )
}

type End = Pick<Campaign, "end_reason" | "ended_at">

export const onEnd = (board: Board, id: string, { end_reason, ended_at }: End, at: number): Board => {
  const next = change(board, id, (row) => ({
    ...row,
    campaign: { ...row.campaign, end_reason, ended_at },
    cut: undefined,
    endedAt: at,
  }))
  const row = find(next, id)
  if (row?.snapshot === undefined) return next
  const { counts, status } = row.snapshot
  return note(next, at, withName(next, id, `${status}, ${ending(end_reason)}, ${number(counts.total)} contacts`))
}

/** Chooses the next row up or down. Stays at either end. */
export const choose = (board: Board, step: 1 | -1): Board => {
  const at = board.rows.findIndex(({ campaign }) => campaign.id === board.chosen)
  const next = board.rows[Math.min(board.rows.length - 1, Math.max(0, at + step))]
  return next === undefined ? board : { ...board, chosen: next.campaign.id }
}
