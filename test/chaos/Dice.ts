/** Random choices from a seed. The same seed draws the same faults and load, as far as the processes' timing allows. */

export interface Dice {
  /** A number from 0 to below 1. */
  readonly roll: () => number
  readonly between: (least: number, most: number) => number
  /** A whole number from `least` to `most`, both included. */
  readonly whole: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(among: ReadonlyArray<A>) => A
  /** Independent dice, unaffected by rolls of these. */
  readonly fork: (name: string) => Dice
}

/** Mulberry32. */
export const make = (seed: number): Dice => {
  let state = seed >>> 0
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number) => least + roll() * (most - least)
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1))
  return {
    roll,
    between,
    whole,
    chance: (probability) => roll() < probability,
    pick: (among) => {
      const found = among[whole(0, among.length - 1)]
      if (found === undefined) throw new Error("Nothing to pick from")
      return found
    },
    fork: (name) => make([...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619), seed)),
  }
}
