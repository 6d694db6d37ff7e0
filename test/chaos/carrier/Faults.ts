/** The faults of the carrier, set over `POST /control`, and the seeded dice that decide when they happen. */

/** Chances are from 0 to 1, times in milliseconds of real time. */
export interface Faults {
  readonly callbacks: {
    readonly drop: number
    readonly duplicate: number
    /** The chance that a callback is held back for a random time, so that later ones overtake it. */
    readonly reorder: number
    readonly reorder_ms: number
    /** The delay of every callback. */
    readonly delay_ms: number
    /** The number of copies sent with each callback. */
    readonly storm: number
  }
  readonly create: {
    /** Answers 503 without making the call. */
    readonly error_before: number
    /** Answers 500 although the call was made. */
    readonly error_after: number
    /** Does not answer, and does not make the call. */
    readonly timeout_before: number
    /** Does not answer, although the call was made. */
    readonly timeout_after: number
    /** Cuts the connection, although the call was made. */
    readonly cut_after: number
    readonly delay_ms: number
    /** Answers 429 without making the call. */
    readonly too_many: number
    /** The number of next orders that get a 429. */
    readonly too_many_next: number
  }
  /** Look-ups, lists, hang-ups and new instructions. */
  readonly api: { readonly error: number; readonly timeout: number; readonly delay_ms: number }
  /** Media streams. `cut`: the network breaks within six seconds, without a close. */
  readonly streams: { readonly cut: number }
  /** Calls that an account may begin per second. Others are queued. 0 means no limit. */
  readonly calls_per_second: number
}

export const noFaults: Faults = {
  callbacks: { drop: 0, duplicate: 0, reorder: 0, reorder_ms: 2_000, delay_ms: 0, storm: 0 },
  create: {
    error_before: 0,
    error_after: 0,
    timeout_before: 0,
    timeout_after: 0,
    cut_after: 0,
    delay_ms: 0,
    too_many: 0,
    too_many_next: 0,
  },
  api: { error: 0, timeout: 0, delay_ms: 0 },
  streams: { cut: 0 },
  calls_per_second: 0,
}

/**
 * Returns the faults with `change` applied. Refuses an unknown name, since a test could rely on a fault without effect.
 */
export const changed = (faults: Faults, change: Record<string, unknown>): Faults => {
  const merged = (before: object, after: unknown, path: string): object => {
    if (typeof after !== "object" || after === null) throw new Error(`${path} has to be an object`)
    const result: Record<string, unknown> = { ...before }
    for (const [name, value] of Object.entries(after)) {
      const known = result[name]
      if (known === undefined) throw new Error(`There is no fault ${path}${name}`)
      if (typeof known === "object" && known !== null) result[name] = merged(known, value, `${path}${name}.`)
      else if (typeof value === "number" && value >= 0) result[name] = value
      else throw new Error(`${path}${name} has to be a number from 0`)
    }
    return result
  }
  return merged(faults, change, "") as Faults
}

export interface Dice {
  /** A number from 0 to below 1. */
  readonly roll: () => number
  readonly chance: (of: number) => boolean
  readonly between: (least: number, most: number) => number
}

/** Mulberry32: the same seed gives the same numbers. */
export const dice = (seed: number): Dice => {
  let state = seed >>> 0
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { roll, chance: (of) => of > 0 && roll() < of, between: (least, most) => least + roll() * (most - least) }
}
