/** The mix of commands in a history: mostly dialling, with everything that can come in between. */
import { Effect, Exit } from "effect"
import fc from "fast-check"
import * as Account from "./AccountActions.ts"
import * as Campaign from "./CampaignActions.ts"
import * as Dial from "./DialActions.ts"
import type { Fault } from "./Engine.ts"
import { type Action, type Real, Step } from "./Step.ts"
import type { Truth } from "./Truth.ts"

/** A dial pass has some twenty statements. If a command has fewer than `at`, nothing breaks. */
const fault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom("refused", "refused", "refused", "cut"),
  at: fc.integer({ min: 1, max: 20 }),
})

const weighed = (actions: ReadonlyArray<readonly [number, fc.Arbitrary<Action>]>) =>
  fc.oneof(...actions.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const dialling = weighed([
  [10, Dial.runPass],
  [8, Dial.report],
  [4, Campaign.operate],
  [1, Campaign.update],
  [1, Campaign.lookAtSchedule],
  [1, Dial.recover],
  [1, Dial.callback],
  [1, Dial.direct],
])

/** Runs actions at the same moment, on separate connections. */
const together: fc.Arbitrary<Action> = fc.array(dialling, { minLength: 2, maxLength: 3 }).map((actions) => ({
  text: `together: ${actions.map(({ text }) => text).join(" | ")}`,
  can: (truth) => actions.every((action) => action.can(truth)),
  act: (truth, world) => {
    truth.alone = false
    truth.partly = true
    // A failing action must not interrupt another one that has committed before the test has recorded it.
    const exits = Effect.forEach(actions, (action) => Effect.exit(action.act(truth, world)), {
      concurrency: "unbounded",
    })
    return Effect.flatMap(exits, Exit.asVoidAll)
  },
}))

/** Promises break most easily around a limit, so move to one and dial. */
const atTheLimit: fc.Arbitrary<Action> = fc.tuple(Account.tickToLimit, Dial.runPass).map(([tick, pass]) => ({
  text: `${tick.text}, and ${pass.text}`,
  can: pass.can,
  act: (truth, world) => Effect.andThen(tick.act(truth, world), pass.act(truth, world)),
}))

const any = weighed([
  [14, dialling],
  [4, atTheLimit],
  [5, Account.tick],
  [3, Campaign.create],
  [3, together],
  [1, Account.caps],
  [1, Account.suppress],
  [1, Account.forget],
  [1, Dial.restart],
  [1, Dial.progress],
  [1, Dial.unknownCall],
  [1, Dial.watch],
])

export const command: fc.Arbitrary<fc.AsyncCommand<Truth, Real>> = fc.oneof(
  { weight: 12, arbitrary: any.map((action) => new Step(action)) },
  { weight: 1, arbitrary: fc.tuple(any, fault).map(([action, fault]) => new Step(action, fault)) },
)
