/**
 * The lab: a simulated phone network in which each number has a fixed behaviour (decisions §6). `LAB_SPEED` scales
 * ringing, talk and the limits of lab calls. Retry delays, caps and schedules stay real.
 */
import { Config, Context, Effect, Layer, Random, Schema } from "effect"
import { Environment } from "../../tenancy/Environment.ts"
import { type Dial, Refused } from "../Telephony.ts"
import { behaviourOf, ringing as answerRing } from "./Behaviours.ts"
import * as LabLine from "./LabLine.ts"
import { LabLog } from "./LabLog.ts"

/** How many numbers' first calls the lab remembers; beyond that it forgets the oldest. */
const remembered = 100_000
/** Seconds until the network itself refuses. */
const setup = { least: 0.2, most: 0.8 }

export class Lab extends Context.Service<
  Lab,
  {
    /** In production lab numbers work only with `PARLEY_LAB=1`. */
    readonly enabled: boolean
    readonly dial: Dial
  }
>()("telephony/lab/Lab") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const log = yield* LabLog
      const speed = yield* labSpeed
      const allowed = yield* Config.Boolean("PARLEY_LAB").pipe(Config.withDefault(false))
      const enabled = (yield* Environment) === "development" || allowed
      /** Numbers that were busy once, by account: one account's calls change nothing in another. */
      const called = new Set<string>()

      const firstCall = (number: string) => {
        if (called.has(number)) return false
        called.add(number)
        for (const oldest of called.size > remembered ? called : []) {
          called.delete(oldest)
          break
        }
        return true
      }
      /** A timer counts whole milliseconds, so a shorter wait is skipped. */
      const wait = ({ least, most }: { readonly least: number; readonly most: number }) =>
        Effect.flatMap(Random.nextBetween(least, most), (seconds) => {
          const milliseconds = (seconds * 1000) / speed
          return milliseconds < 1 ? Effect.void : Effect.andThen(Effect.sleep(milliseconds), Effect.yieldNow)
        })

      const dial: Dial = Effect.fnUntraced(function* ({ account, call_id, confirmOwnership, to }, ringing) {
        yield* confirmOwnership
        yield* log.live(call_id, to)
        const behaviour = behaviourOf(to)
        const rings = log.write("ring", call_id, to).pipe(Effect.andThen(ringing))
        if (behaviour._tag === "Refuses") {
          if (behaviour.rings !== undefined) yield* rings
          yield* wait(behaviour.rings ?? setup)
          return yield* Effect.fail(new Refused({ outcome: behaviour.outcome, detail: behaviour.detail }))
        }
        if (behaviour._tag === "BusyOnce" && firstCall(`${account} ${to}`)) {
          yield* wait(setup)
          return yield* Effect.fail(new Refused({ outcome: "busy", detail: "486 Busy Here" }))
        }
        yield* rings
        yield* wait(answerRing)
        yield* log.write("answer", call_id, to)
        return yield* LabLine.make(behaviour.party, speed)
      })
      return { enabled, dial }
    }),
  ).pipe(Layer.provide(LabLog.layer))
}

const labSpeed = Config.schema(
  Schema.FiniteFromString.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1_000)),
  "LAB_SPEED",
).pipe(Config.withDefault(1))
