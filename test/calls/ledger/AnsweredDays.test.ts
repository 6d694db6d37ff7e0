/** Calls that a person answered, and those of them in which no agent spoke in time. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Brains from "../../../src/brain/Brains.ts"
import * as AnsweredDays from "../../../src/calls/ledger/AnsweredDays.ts"
import { admit } from "../../../src/calls/ledger/Admission.ts"
import { AfterCall, type EndedCall } from "../../../src/calls/ledger/AfterCall.ts"
import * as CallLog from "../../../src/calls/ledger/CallLog.ts"
import { CallWriter } from "../../../src/calls/ledger/CallWriter.ts"
import * as CallSession from "../../../src/calls/live/CallSession.ts"
import { Node } from "../../../src/cluster/Node.ts"
import { CurrentTenant } from "../../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { kit as kitOf } from "../../support/Kit.ts"
import { labAt, sessionTo } from "../../support/Sessions.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const writing = CallWriter.layer.pipe(
  Layer.provide(AfterCall.layerNone),
  Layer.provideMerge(Node.layer),
  Layer.provideMerge(CallsRoom.tenancy),
)

const shownShares = Effect.map(Metric.snapshot, (metrics) =>
  metrics.flatMap((metric) =>
    metric.id === "parley_calls_abandoned_share_highest" && metric.type === "Gauge" ? [metric.state.value] : [],
  ),
)

const days = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select answered, abandoned from answered_days order by day`
})

/** How the call goes by a clock that no machine is late for: what is counted here is a matter of two seconds. */
const talk = Effect.fnUntraced(
  function* (to: string, first_message: string) {
    const session = sessionTo(to, kitOf({ first_message, silence_timeout_seconds: 9 }))
    const running = yield* Effect.forkChild(CallSession.run(session), { startImmediately: true })
    yield* TestClock.adjust("20 minutes")
    return { end: yield* Fiber.join(running), record: session.record }
  },
  Effect.provide(Layer.mergeAll(labAt(1), Brains.layer, TestClock.layer())),
)

const called = Effect.fnUntraced(function* (numbers: ReadonlyArray<string>, first_message: string) {
  const [node, writer] = [yield* Node, yield* CallWriter]
  const { account } = yield* CurrentTenant
  const { intentTo } = yield* CallsRoom.equip
  const intents = numbers.map(intentTo)
  const calls = yield* transaction(Effect.andThen(admit(intents.length), CallLog.intend(node.id, intents)))
  yield* Effect.forEach(calls, (call) =>
    Effect.flatMap(talk(call.to_number, first_message), (talked) =>
      writer.end(account.slug, { ...talked, call }, Effect.void),
    ),
  )
  yield* CallsRoom.quiet
})

it.layer(writing, { timeout: "120 seconds", excludeTestServices: true })("answered calls", (it) => {
  it.effect("are counted by day, with those in which no word was heard within two seconds", () =>
    Effect.gen(function* () {
      const speaks = yield* newAccount("speaks", CallsRoom.wide)
      const silent = yield* newAccount("silent", CallsRoom.wide)
      // One who waits for the agent to begin, one who hangs up at once, a machine, one who is busy.
      const numbers = ["+14155550165", "+14155550160", "+14155550180", "+14155550170"]
      yield* called(numbers, "Hello, this is Rosa.").pipe(within(speaks))
      // Without a greeting of its own the agent waits for the person, who waits for the agent.
      yield* called(numbers, "").pipe(within(silent))
      assert.deepStrictEqual(yield* days.pipe(within(speaks)), [{ answered: 2, abandoned: 0 }])
      assert.deepStrictEqual(yield* days.pipe(within(silent)), [{ answered: 2, abandoned: 1 }])
      assert.deepStrictEqual(yield* shownShares, [0.5])
    }),
  )

  it.effect("of thirty days ago and earlier no longer count in the highest share", () =>
    Effect.gen(function* () {
      const [quiet, busy] = [yield* newAccount("quiet"), yield* newAccount("busy")]
      const count = yield* AnsweredDays.make
      const endedIn = ({ account }: typeof quiet, abandoned: boolean) =>
        transaction(count(account.slug, [{ abandoned } as EndedCall]))
      yield* endedIn(quiet, true).pipe(within(quiet))
      yield* endedIn(busy, false).pipe(within(busy))
      assert.deepStrictEqual(yield* shownShares, [1])
      const clock = yield* Clock.Clock
      const later = clock.currentTimeMillisUnsafe() + 31 * 24 * 60 * 60 * 1_000
      const ahead: Clock.Clock = Object.create(clock, { currentTimeMillis: { value: Effect.succeed(later) } })
      yield* endedIn(busy, false).pipe(within(busy), Effect.provideService(Clock.Clock, ahead))
      assert.deepStrictEqual(yield* shownShares, [0])
    }),
  )
})
