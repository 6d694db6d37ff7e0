import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, References, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Accounts } from "../../src/campaigns/Accounts.ts"
import { CampaignEvents } from "../../src/campaigns/CampaignEvents.ts"
import type { News } from "../../src/campaigns/CampaignNews.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { CampaignSignals } from "../../src/campaigns/dialling/CampaignSignals.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const watching = CampaignEvents.layer.pipe(
  Layer.provideMerge(Layer.merge(Accounts.layer, CampaignSignals.layer)),
  Layer.provideMerge(layer),
)

/** Lets all other fibers run after each few steps of this one, as a busy process may at any of them. */
const stepByStep = Effect.provideService(References.MaxOpsBeforeYield, 3)

it.layer(watching, { timeout: "120 seconds", excludeTestServices: true })("a client that follows a campaign", (it) => {
  it.effect("is told what happens, at whatever step of the last other client's leave it has joined", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("followed")
      const { slug } = entry.account
      const { watch } = yield* CampaignEvents
      const signals = yield* CampaignSignals
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const untold: Array<number> = []
        for (let steps = 0; steps < 14; steps++) {
          const id = uuidv7()
          yield* Campaigns.reserve(id)
          const [first, second] = [yield* Scope.make(), yield* Scope.make()]
          yield* Scope.provide(
            watch(entry, id, () => {}),
            first,
          )
          const leaving = yield* Scope.close(first, Exit.void).pipe(stepByStep, Effect.forkChild)
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          const told: Array<News["_tag"]> = []
          yield* Scope.provide(
            watch(entry, id, ({ _tag }) => void told.push(_tag)),
            second,
          )
          yield* Fiber.join(leaving)
          yield* sql`delete from campaigns where id = ${id}`
          yield* signals.announceChange(slug, id)
          const isTold = Effect.repeat(
            Effect.delay(
              Effect.sync(() => told.includes("Gone")),
              "5 millis",
            ),
            { until: (yes) => yes },
          )
          yield* isTold.pipe(
            Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.sync(() => untold.push(steps)) }),
          )
          yield* Scope.close(second, Exit.void)
        }
        assert.deepStrictEqual(untold, [])
      }).pipe(within(entry))
    }),
  )
})
