import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Accounts } from "../../src/campaigns/Accounts.ts"
import type { News } from "../../src/campaigns/CampaignNews.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { CampaignSignals } from "../../src/campaigns/dialling/CampaignSignals.ts"
import * as CampaignWatcher from "../../src/campaigns/CampaignWatcher.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const watching = Layer.merge(Accounts.layer, CampaignSignals.layer).pipe(Layer.provideMerge(layer))

it.layer(watching, { timeout: "120 seconds", excludeTestServices: true })("the watcher of a campaign", (it) => {
  it.effect("tells a client that joins just after the campaign was deleted that it is gone", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("gone")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = uuidv7()
        yield* Campaigns.reserve(id)
        const watcher = CampaignWatcher.make(entry.account.slug, id)
        const told: Array<News["_tag"]> = []
        watcher.listeners.add(({ _tag }) => void told.push(_tag))
        assert.strictEqual((yield* CampaignWatcher.current(watcher))._tag, "Snapshot")
        yield* sql`delete from campaigns where id = ${id}`
        yield* CampaignWatcher.run(watcher)
        assert.deepStrictEqual(told, ["Gone"])
        assert.strictEqual((yield* CampaignWatcher.current(watcher))._tag, "Gone")
      }).pipe(within(entry))
    }),
  )

  it.effect("looks again after a look was cut off because a database was closed meanwhile", () =>
    Effect.gen(function* () {
      const { account } = yield* newAccount("closed")
      const accounts = yield* Accounts
      const watcher = CampaignWatcher.make(account.slug, uuidv7())
      const told: Array<News["_tag"]> = []
      watcher.listeners.add(({ _tag }) => void told.push(_tag))
      let looks = 0
      const find: typeof accounts.find = (slug) => (looks++ === 0 ? Effect.interrupt : accounts.find(slug))
      yield* CampaignWatcher.run(watcher).pipe(Effect.provideService(Accounts, { ...accounts, find }))
      assert.deepStrictEqual(told, ["Gone"])
    }),
  )
})
