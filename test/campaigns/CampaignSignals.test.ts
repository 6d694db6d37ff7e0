/** Which diallers hear that slots are free: those of the process that wakes them, and of another one. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { CampaignSignals } from "../../src/campaigns/dialling/CampaignSignals.ts"
import { AccountSlug } from "../../src/domain/Account.ts"
import { Notices } from "../../src/tenancy/Notices.ts"
import { layer } from "../support/TestTenancy.ts"

const account = AccountSlug.make("signals")

it.layer(layer, { timeout: "60 seconds", excludeTestServices: true })("free slots", (it) => {
  it.effect("reach the dialler of their campaign in another process, also if this one dials another campaign", () =>
    Effect.gen(function* () {
      // A process does not hear its own notices.
      const room = Layer.fresh(Layer.provide(CampaignSignals.layer, Layer.fresh(Notices.layer)))
      const process = Layer.build(room).pipe(Effect.map(Context.get(CampaignSignals)))
      const [here, there] = [yield* process, yield* process]
      const own = yield* here.listen(account, "own", "slots")
      const other = yield* there.listen(account, "other", "slots")
      const last = yield* there.listen(account, "last", "slots")
      // Until both hear each other. Notices arrive in order, so those to `other` have arrived before.
      while (!(yield* there.wait(last, 50))) {
        yield* here.announceChange(account, "other")
        yield* here.announceChange(account, "last")
      }
      yield* there.wait(other, 1)

      yield* here.wake(account, ["own", "other"])
      assert.isTrue(yield* here.wait(own, 5_000))
      assert.isTrue(yield* there.wait(other, 5_000))

      yield* here.wake(account, ["own"])
      assert.isTrue(yield* here.wait(own, 5_000))
      assert.isFalse(yield* there.wait(other, 300))
    }).pipe(Effect.scoped),
  )
})
