/** A scenario run whose database fails now and then. */
import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import { databaseOf, query } from "../support/AccountDatabase.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const platform = new URL(inject("postgres"))
platform.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

it.layer(TestServer.layerWith({ DATABASE_URL: platform.href }), { timeout: "120 seconds", excludeTestServices: true })(
  "a scenario run",
  (it) => {
    it.effect("ends with its results, although its database failed when they were to be stored", () =>
      inAccountOfItsOwn(async (own, owner) => {
        const database = await databaseOf(platform, owner.account)
        // The first scenario's results, and the run's end at the first try.
        await query(database, "create sequence faults")
        await query(
          database,
          `create function fail_twice() returns trigger language plpgsql security definer as $$
           begin if nextval('faults') <= 2 then raise 'a fault'; end if; return new; end $$`,
        )
        await query(
          database,
          "create trigger fail_twice before update on scenario_runs for each row execute function fail_twice()",
        )
        const path = `/api/agents/${own.line.agent_id}/scenario-runs` as const
        const scenarios = [
          { name: "a scenario", caller: { says: ["No, that's all."] }, expect: { outcome: "answered" } },
        ]
        const { id } = made(await owner.post(path, { scenarios }))
        const run = await until(async () => {
          const found = made(await owner.get(`${path}/${id}`))
          return found.status !== "running" && found
        })
        assert.strictEqual(run.status, "completed")
        assert.lengthOf(run.results, 1)
      }),
    )
  },
)
