/** A dial pass over the worst campaign that settings allow: other tenants' requests go on meanwhile. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { v7 as uuidv7 } from "uuid"
import type { Calls } from "../../src/calls/Calls.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, turn } from "../support/DialPasses.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const { rules, version } = JSON.parse(readFileSync("test/bench/rules/every-kind.json", "utf8"))
const packs = Array.from({ length: 20 }, (_, at) => ({
  id: `pack-${at}`,
  version,
  jurisdiction: { country: "US", state: null },
  rules,
}))
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
const window = { days, start: "00:00", end: "24:00", time_zone: "contact" }

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a dial pass",
  (it) => {
    it.effect("leaves the event loop free with a hundred numbers and a rule that counts the attempts before", () =>
      Effect.gen(function* () {
        const account = yield* newAccount(`l${crypto.randomUUID().slice(0, 8)}`, CallsRoom.wide)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const kit = yield* CallsRoom.equip
          yield* sql`
            insert into phone_numbers (id, number, label, carrier, carrier_config)
            select gen_random_uuid(), '+1212555' || (1000 + n), '', 'lab', '{}' from generate_series(1, 100) n`
          yield* sql`update phone_numbers set min_seconds_between_calls = 30 where id = ${kit.phone_number_id}`
          const id = yield* campaign(kit, 500, { rules: json(packs), calling_window: json(window) })
          yield* sql`
            update campaigns set caller_numbers = array(select id from phone_numbers where id <> ${kit.phone_number_id})
            where id = ${id}`
          // Each of them was called from the one number that has to wait now, so each pass looks at all of them.
          yield* sql`
            insert into calls (id, direction, status, agent_id, agent_name, node_id, started_at, campaign_id, contact_id,
              attempt_number, phone_number_id, to_number)
            select gen_random_uuid(), 'outbound', 'ringing', ${kit.agent_id}, 'a', ${uuidv7()}::uuid,
              clock_timestamp() - interval '1 hour', campaign_id, id, 1, ${kit.phone_number_id}::uuid, phone_number
            from contacts where campaign_id = ${id}`
          yield* sql`
            update calls set status = 'failed', outcome = 'no_answer', ended_at = started_at where campaign_id = ${id}`
          yield* sql`
            update contacts set attempts = 1, waits_for = 'retry_delay', due_at = clock_timestamp() - interval '1 minute'
            where campaign_id = ${id}`
          yield* turn(id)
          const services = yield* Effect.context<Calls | CurrentTenant | SqlClient.SqlClient>()
          const worst = yield* Effect.promise(() => longestTick(() => Effect.runPromiseWith(services)(turn(id))))
          assert.lengthOf(yield* dialled(id), 500 + 1)
          assert.isBelow(worst, mostMs)
        }).pipe(within(account))
      }),
    )
  },
)
