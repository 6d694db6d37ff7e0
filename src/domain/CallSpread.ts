/**
 * How the calls of a dial pass are divided among the processes: each call goes to the process that uses the smallest
 * part of what it can carry. Pure.
 */

/** What a process carries, and the most that it can carry. */
export interface Load {
  readonly calls: number
  readonly calls_max: number
}

export const roomOf = ({ calls, calls_max }: Load): number => Math.max(0, calls_max - calls)

/**
 * The number of calls by which the dialling process may exceed the others before it offers calls to them. Offering a call
 * costs some statements, which a small campaign need not pay.
 */
const headStart = 32
/** Calls that last this long on average, or longer, have the smallest head start. */
const longMs = 10_000
/** The smallest average that counts, so that the head start stays finite. */
const shortMs = 5

/**
 * The head start for calls that last this long on average. Calls that end at once never pile up in the dialling process,
 * so they are not worth the statements of an offer.
 */
export const headStartFor = (mean_ms: number): number =>
  Math.round((headStart * longMs) / Math.min(longMs, Math.max(shortMs, mean_ms)))

interface Division {
  /** The calls for the dialling process, which also gets those for which no process has room. */
  readonly own: number
  /** The calls for each of the other processes, in their order. */
  readonly others: ReadonlyArray<number>
}

/** Divides `count` new calls. A process is never offered more than it has room for. */
export const divide = (
  count: number,
  own: Load & { readonly head_start: number },
  others: ReadonlyArray<Load>,
): Division => {
  const shares = [{ ...own, calls: own.calls - own.head_start, room: roomOf(own) }].concat(
    others.map((load) => ({ ...load, head_start: 0, room: roomOf(load) })),
  )
  const room = shares.reduce((sum, share) => sum + share.room, 0)
  const given = room <= count ? shares.map((share) => share.room) : fill(count, shares)
  const [, ...toOthers] = given
  return { own: count - toOthers.reduce((sum, calls) => sum + calls, 0), others: toOthers }
}

type Share = Load & { readonly room: number }

/** Fills the processes up to one level of use, at which they take `count` calls together. They have room for more. */
const fill = (count: number, shares: ReadonlyArray<Share>): Array<number> => {
  const at = (level: number) =>
    shares.map(({ calls, calls_max, room }) => Math.min(room, Math.max(0, Math.floor(level * calls_max - calls))))
  const taken = (level: number) => at(level).reduce((sum, calls) => sum + calls, 0)
  const levels = shares.flatMap(({ calls, calls_max, room }) =>
    calls_max === 0 ? [] : [calls / calls_max, (calls + room) / calls_max],
  )
  let low = Math.min(...levels)
  let high = Math.max(...levels)
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (taken(middle) <= count) low = middle
    else high = middle
  }
  const given = at(low)
  // What rounding has left: fewer calls than there are processes.
  let left = count - given.reduce((sum, calls) => sum + calls, 0)
  for (const [index, { room }] of shares.entries()) {
    const more = Math.min(left, room - (given[index] ?? 0), 1)
    given[index] = (given[index] ?? 0) + more
    left -= more
  }
  return given
}
