/** Callbacks in a dial pass and at the end of a call (decision 0073): which goes first, and which promise counts. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Calls } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a callback",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.flatMap(newAccount(`c${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 }), (account) =>
          within(account)(body),
        ),
      )

    test(
      "that is due is dialled before retries and new contacts, as an attempt beyond the retries (I5)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 4, { max_concurrent_calls: 1 })
        const sql = yield* SqlClient.SqlClient
        const wait = (position: number, due: string, callback: boolean) => sql`
          update contacts set attempts = 1, waits_for = 'retry_delay', due_at = clock_timestamp() + ${due}::interval,
            callback_at = case when ${callback} then clock_timestamp() + ${due}::interval end
          where position = ${position}`
        yield* wait(2, "-1 hour", false)
        yield* wait(3, "-1 minute", true)
        yield* wait(4, "1 hour", true)
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [3])
        const [row] = yield* sql<{ readonly record: object }>`
          select r.record from calls c join dial_records r on r.id = c.dial_record_id`
        assert.deepInclude(row?.record, { rule: "callback", attempt: 2, of: 2 })
        const [called] = yield* sql`select status, callback_at, callbacks from contacts where position = 3`
        assert.deepStrictEqual(called, { status: "in_progress", callback_at: null, callbacks: 1 })
      }),
    )

    test(
      "counts if it was promised in the call: one that an earlier release left on the contact does not",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 2)
        yield* turn(id)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update contacts set callback_at = clock_timestamp() + case position when 1 then 1 else -60 end * interval '1 minute'`
        const calls = yield* sql<{ id: string; node_id: string; contact_id: string; position: number }>`
          select c.id, c.node_id, c.contact_id, k.position from calls c join contacts k on k.id = c.contact_id`
        const reports = calls.map(({ contact_id, id: call }) => ({
          call: {
            ...{ id: CallId.make(call), direction: "outbound" as const, campaign_id: id, contact_id },
            ...{ attempt_number: 1, to_number: null, from_number: null },
          },
          end: { outcome: "answered" as const, end_reason: "caller_hung_up" as const },
          ended_at: new Date(),
          record: new CallRecord(),
        }))
        const ended = yield* CallLog.end(calls[0]?.node_id ?? "", reports)
        const promised = ended.filter(({ callback_at }) => callback_at !== null).map(({ contact_id }) => contact_id)
        assert.deepStrictEqual(
          promised,
          calls.filter(({ position }) => position === 1).map(({ contact_id }) => contact_id),
        )
        assert.strictEqual(ended.length, 2)
      }),
    )
  },
)
