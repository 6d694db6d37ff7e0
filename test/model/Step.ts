/** One command of a history: its action, its fault if it has one, and the checks after it. */
import { Cause, type Effect, Exit } from "effect"
import type fc from "fast-check"
import { breaking, type Fault } from "./Engine.ts"
import { check } from "./Invariants.ts"
import { Broken } from "./Broken.ts"
import * as Rows from "./Rows.ts"
import type { Truth } from "./Truth.ts"
import type { Here, World } from "./World.ts"

/** What a command does, independent of how it is run: several actions may run together. */
export interface Action {
  readonly text: string
  readonly can: (truth: Truth) => boolean
  readonly act: (truth: Truth, world: World) => Effect.Effect<unknown, unknown, Here>
  /** True if it writes nothing, so nothing is checked after it. */
  readonly quiet?: boolean
}

/** A running history, with the rows as of the last command. */
export interface Real {
  readonly world: World
  rows: Rows.Rows
}

export class Step implements fc.AsyncCommand<Truth, Real> {
  private readonly action: Action
  private readonly fault: Fault | null

  constructor(action: Action, fault: Fault | null = null) {
    this.action = action
    this.fault = fault
  }

  check(truth: Truth): boolean {
    return this.action.can(truth)
  }

  async run(truth: Truth, real: Real): Promise<void> {
    truth.begin()
    const { world } = real
    const exit = await world.run(breaking(this.fault)(this.action.act(truth, world)))
    if (Exit.isFailure(exit) && (this.fault === null || exit.cause.reasons.some(isBroken))) {
      throw new Error(`${this.action.text}: ${Cause.pretty(exit.cause)}`)
    }
    if (this.action.quiet === true) return
    const rows = await read(world)
    if (Exit.isFailure(exit) && !truth.partly) nothingHappened(real.rows, rows)
    check(truth, rows, real.rows)
    real.rows = rows
  }

  toString(): string {
    return this.fault === null
      ? this.action.text
      : `${this.action.text} [statement ${this.fault.at} is ${this.fault.kind}]`
  }
}

export const read = async (world: World): Promise<Rows.Rows> => {
  const exit = await world.run(Rows.read)
  if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
  return exit.value
}

const isBroken = (reason: Cause.Reason<unknown>): boolean =>
  (reason._tag === "Die" && reason.defect instanceof Broken) ||
  (reason._tag === "Fail" && reason.error instanceof Broken)

/** A transaction that was refused or cut leaves no change. */
const nothingHappened = (before: Rows.Rows, after: Rows.Rows): void => {
  const was = JSON.stringify(before)
  const is = JSON.stringify(after)
  if (was !== is) throw new Broken("atomicity", `a transaction that failed left\n${was}\n→\n${is}`)
}
