/** Which of the contacts that are due is called first, and who is left alone (decision 0085), against the database. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import type { Calls } from "../../src/calls/Calls.ts"
import * as DialQueue from "../../src/campaigns/dialling/DialQueue.ts"
import { firstInLine } from "../../src/campaigns/dialling/Preferred.ts"
import type { BestGrounds } from "../../src/domain/BestTimeOfDay.ts"
import { type DayPart, dayPartAt } from "../../src/domain/DayParts.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, numberOf, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const size = 10
const contact = fc.record({
  priority: fc.constantFrom(0, 0, 1, 100),
  waits: fc.constantFrom("never looked at", "never looked at", "retry", "callback", "later"),
  status: fc.constantFrom("pending", "pending", "pending", "skipped"),
})
type Listed = typeof contact extends fc.Arbitrary<infer A> ? A : never

/** The positions in the order in which they are called, by the words of docs/campaign-timing.md. */
const order = (list: ReadonlyArray<Listed>, minutes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const due = list
    .map((one, at) => ({ ...one, position: at + 1, minutes: minutes[at] ?? 0 }))
    .filter(({ status, waits }) => status === "pending" && waits !== "later")
  const kinds = ["callback", "retry", "never looked at"]
  return due
    .toSorted((a, b) => {
      const isCallback = (one: Listed) => Number(one.waits === "callback")
      if (isCallback(a) !== isCallback(b)) return isCallback(b) - isCallback(a)
      if (isCallback(a) === 0 && a.priority !== b.priority) return b.priority - a.priority
      if (a.waits !== b.waits) return kinds.indexOf(a.waits) - kinds.indexOf(b.waits)
      return a.waits === "never looked at" ? a.position - b.position : b.minutes - a.minutes
    })
    .map(({ position }) => position)
}

/** SQL that gives each contact `c` the state that the row `r` describes. */
const ago = "clock_timestamp() - r.minutes * interval '1 minute'"
const inState = `update contacts c set priority = r.priority, status = r.status,
    skip_reason = case when r.status = 'skipped' then 'stopped' end,
    attempts = case when r.waits = 'never looked at' then 0 else 1 end,
    waits_for = case when r.waits in ('retry', 'callback', 'later') then 'retry_delay' end,
    callback_at = case when r.waits = 'callback' then ${ago} end,
    due_at = case when r.status <> 'pending' then '-infinity'
      when r.waits = 'later' then clock_timestamp() + interval '1 hour'
      when r.waits in ('retry', 'callback') then ${ago}
      when r.priority > 0 then ${firstInLine} else '-infinity' end`

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "the contacts that are due",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.flatMap(newAccount(`n${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 }), (account) =>
          within(account)(body),
        ),
      )

    test(
      "are called in order: callbacks, then by priority, then retries before the others, each in its own order",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const id = yield* campaign(kit, size)
        const cases = fc.sample(
          fc.tuple(
            fc.array(contact, { minLength: size, maxLength: size }),
            fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: size }),
            fc.integer({ min: 1, max: size }),
          ),
          { numRuns: 80, seed: 85 },
        )
        for (const [list, minutes, atMost] of cases) {
          const rows = list.map((one, at) => ({ ...one, position: at + 1, minutes: minutes[at] }))
          yield* Effect.ignore(
            transaction(
              Effect.gen(function* () {
                yield* sql`${sql.literal(inState)} from jsonb_to_recordset(${json(rows)}::jsonb)
                  as r(position int, priority int, waits text, status text, minutes int)
                  where c.position = r.position and c.campaign_id = ${id}`
                const [row] = yield* sql<{ now: Date }>`select clock_timestamp() as now`
                const queued = {
                  id,
                  required_consent: null,
                  quiet_after_answer_seconds: null,
                  subject: null,
                  has_preferred: list.some(({ priority }) => priority > 0),
                }
                const found = yield* DialQueue.candidates(queued, atMost, row?.now ?? new Date())
                assert.deepStrictEqual(
                  found.map(({ position }) => position),
                  order(list, minutes).slice(0, atMost),
                  JSON.stringify({ list, minutes, atMost }),
                )
                return yield* Effect.fail("roll back")
              }),
            ),
          )
        }
      }),
    )

    test(
      "are found by passes that know of no priority before and none after, and the end of the list is read once",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const id = yield* campaign(kit, 4, { max_concurrent_calls: 1 })
        yield* sql`update contacts set priority = 5, due_at = ${sql.literal(firstInLine)} where position >= 3`
        const dial = Effect.gen(function* () {
          yield* turn(id)
          yield* sql`update campaigns set max_concurrent_calls = max_concurrent_calls + 1 where id = ${id}`
          return yield* dialled(id)
        })
        assert.deepStrictEqual(yield* dial, [3])
        assert.deepStrictEqual(yield* dial, [3, 4])
        assert.deepStrictEqual(yield* dial, [1, 3, 4])
        assert.deepStrictEqual(yield* dial, [1, 2, 3, 4])
        yield* turn(id)
        const [progress] = yield* sql`select last_position from campaign_progress where campaign_id = ${id}`
        assert.deepStrictEqual(progress, { last_position: 4 })
        const [record] = yield* sql<{ priority: string | null }>`
          select r.record ->> 'priority' as priority from calls c join dial_records r on r.id = c.dial_record_id
          join contacts k on k.id = c.contact_id where k.position = 3`
        assert.deepStrictEqual(record, { priority: "5" })
      }),
    )

    test(
      "wait in the quiet period after the last answered call of any campaign, and a callback does not",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const other = yield* campaign(kit, 1)
        const id = yield* campaign(kit, 1)
        const [contact] = yield* sql<{ id: string }>`select id from contacts where campaign_id = ${other}`
        const past = fc.record({
          outcome: fc.constantFrom("answered", "answered", "voicemail", "unknown"),
          answered: fc.boolean(),
          minutes: fc.integer({ min: 1, max: 90 }),
          placed_by: fc.constantFrom("a campaign", "a campaign", "a request"),
        })
        const cases = fc.sample(fc.tuple(fc.array(past, { maxLength: 3 }), fc.boolean()), { numRuns: 40, seed: 86 })
        for (const [calls, isCallback] of cases) {
          const began = calls.filter(
            ({ answered, minutes, outcome, placed_by }) =>
              placed_by === "a campaign" &&
              minutes < 60 &&
              (outcome === "answered" || (outcome === "unknown" && answered)),
          )
          yield* Effect.ignore(
            transaction(
              Effect.gen(function* () {
                for (const [at, { answered, minutes, outcome, placed_by }] of calls.entries()) {
                  const of =
                    placed_by === "a campaign"
                      ? { campaign_id: other, contact_id: contact?.id, attempt_number: at + 1 }
                      : {}
                  const ended_at = new Date(Date.now() - minutes * 60_000)
                  yield* sql`insert into calls ${sql.insert({
                    ...{ id: crypto.randomUUID(), direction: "outbound", status: "completed", outcome, ...of },
                    ...{
                      agent_id: kit.agent_id,
                      agent_name: "a",
                      node_id: crypto.randomUUID(),
                      to_number: numberOf(1),
                    },
                    ...{ started_at: ended_at, answered_at: answered ? ended_at : null, ended_at },
                  })}`
                }
                const callback_at = isCallback ? new Date(0) : null
                yield* sql`
                  update contacts set callback_at = ${callback_at}, waits_for = 'retry_delay', attempts = 1,
                    due_at = now() - interval '1 s' where campaign_id = ${id}`
                const queued = {
                  id,
                  required_consent: null,
                  subject: null,
                  has_preferred: false,
                  quiet_after_answer_seconds: 3_600,
                }
                const [found] = yield* DialQueue.candidates(queued, 1, new Date(Date.now() + 1_000))
                const until = Math.max(...began.map(({ minutes }) => 60 - minutes))
                const left =
                  found?.quiet_until === null ? -Infinity : (Number(found?.quiet_until) - Date.now()) / 60_000
                const expected = isCallback || began.length === 0 ? -Infinity : until
                assert.isTrue(
                  left === expected || Math.abs(left - expected) < 0.5,
                  JSON.stringify({ calls, isCallback, left }),
                )
                return yield* Effect.fail("roll back")
              }),
            ),
          )
        }
      }),
    )

    test(
      "wait as a retry for another part of the day than the attempt before, once, and are dialled then",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const id = yield* campaign(kit, 1, { retries_per_contact: 2, retry_time_of_day: "rotate" })
        const end = sql`
          update calls set status = 'completed', outcome = 'no_answer', ended_at = clock_timestamp() where ended_at is null`
        const wait = (reason: string) => sql`
          update contacts set status = 'pending', waits_for = ${reason}, due_at = now() - interval '1 s'`
        yield* turn(id)
        yield* Effect.andThen(end, wait("retry_delay"))
        yield* turn(id)
        const [put] = yield* sql<{ waits_for: string; status: string; reason: string; record: any; until: boolean }>`
          select c.status, c.waits_for, d.reason, d.record, d.until = c.due_at as until
          from contacts c join decisions d on d.contact_id = c.id`
        assert.deepInclude(put, { status: "pending", waits_for: "time_of_day", reason: "time_of_day", until: true })
        const { part, tried, zone } = put?.record.time_of_day ?? {}
        assert.strictEqual(zone, "America/Los_Angeles")
        assert.strictEqual(tried?.length, 1)
        assert.notInclude(tried, part)
        yield* wait("time_of_day")
        yield* turn(id)
        const [second] = yield* sql<{ waited_for: string }>`
          select r.record ->> 'waited_for' as waited_for from calls c join dial_records r on r.id = c.dial_record_id
          where c.attempt_number = 2`
        assert.deepStrictEqual(second, { waited_for: "time_of_day" })
      }),
    )

    test(
      "wait as a retry for the part of the day in which they answered before, or else people of the account did",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const zone = "America/Los_Angeles"
        const other = yield* campaign(kit, 3)
        const id = yield* campaign(kit, 3, { retries_per_contact: 2, retry_time_of_day: "best" })
        yield* turn(id)
        yield* sql`
          update calls set status = 'completed', outcome = 'no_answer', ended_at = clock_timestamp() where ended_at is null`
        const [now] = yield* sql<{ part: DayPart; counted: boolean }>`
          select distinct c.day_part as part, p.rang = 3 and p.answered = 0 as counted
          from calls c left join part_days p on p.part = c.day_part`
        const here = now?.part ?? assert.fail("no call has a part of the day")
        assert.strictEqual(now?.counted, true)
        const daysBefore = Array.from({ length: 24 }, (_, hour) => new Date(Date.now() - (48 + hour) * 3_600_000))
        const partAt = (at: Date | undefined) => dayPartAt(zone, Number(at))
        const sameTime = daysBefore.find((at) => partAt(at) === here)
        const otherTime = daysBefore.find((at) => partAt(at) !== here)
        const elsewhere = partAt(otherTime)
        const answer = (position: number, at: Date | undefined) => sql`
          insert into calls (id, direction, status, outcome, campaign_id, contact_id, attempt_number, agent_id, agent_name,
            node_id, to_number, started_at, answered_at, ended_at)
          select ${crypto.randomUUID()}, 'outbound', 'completed', 'answered', campaign_id, id, 1, ${kit.agent_id}, 'a',
            ${crypto.randomUUID()}, phone_number, t.at, t.at, t.at
          from contacts, (select ${at ?? null}::timestamptz as at) t where campaign_id = ${other} and position = ${position}`
        yield* answer(1, otherTime)
        yield* answer(2, sameTime)
        yield* sql`
          insert into part_days (day, part, rang, answered)
          values (current_date - 89, ${elsewhere}, 200, 150), (current_date - 89, ${here}, 200, 30),
            (current_date - 90, ${here}, 9000, 9000)`
        yield* sql`
          update contacts set status = 'pending', waits_for = 'retry_delay', due_at = now() - interval '1 s'
          where campaign_id = ${id}`
        yield* turn(id)
        const put = yield* sql<{ position: number; place: BestGrounds }>`
          select c.position, d.record -> 'time_of_day' as place from contacts c join decisions d on d.contact_id = c.id
          where c.waits_for = 'time_of_day' and d.until = c.due_at and d.until > clock_timestamp() order by 1`
        const missed = { [here]: { rang: 1, answered: 0 } }
        const account = { [elsewhere]: { rang: 200, answered: 150 }, [here]: { rang: 203, answered: 30 } }
        const place = { part: elsewhere, zone, tried: [here], account }
        const byPerson = { ...place, because: "person", number: { ...missed, [elsewhere]: { rang: 1, answered: 1 } } }
        const byAccount = { ...place, because: "account", number: missed }
        const withoutTime = ({ until: _, ...grounds }: BestGrounds & { readonly until?: string }) => grounds
        assert.deepStrictEqual<unknown>(
          put.map(({ place, position }) => [position, withoutTime(place)]),
          [
            [1, byPerson],
            [3, byAccount],
          ],
        )
        yield* sql`update contacts set due_at = now() - interval '1 s' where waits_for = 'time_of_day'`
        yield* turn(id)
        const dialled = yield* sql<{ position: number; place: BestGrounds }>`
          select k.position, r.record -> 'time_of_day' as place
          from calls c join dial_records r on r.id = c.dial_record_id join contacts k on k.id = c.contact_id
          where c.campaign_id = ${id} and c.attempt_number = 2 order by 1`
        const atOnce = { ...place, part: here, because: "person", number: { [here]: { rang: 2, answered: 1 } } }
        assert.deepStrictEqual<unknown>(
          dialled.map(({ place, position }) => [position, withoutTime(place)]),
          [
            [1, byPerson],
            [2, atOnce],
            [3, byAccount],
          ],
        )
      }),
    )

    test(
      "are called by one of two campaigns: the person answers it, and the other one does not dial in its quiet period",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const quiet = { quiet_after_answer_seconds: 86_400 }
        const two = [yield* campaign(kit, 3, quiet), yield* campaign(kit, 3, quiet)]
        const passes = Effect.all(two.map(turn), { concurrency: "unbounded" })
        const answer = sql`
          update calls set status = 'completed', outcome = 'answered', answered_at = clock_timestamp(),
            ended_at = clock_timestamp() where ended_at is null`
        yield* passes
        for (let round = 0; round < 4; round++)
          yield* Effect.all([passes, answer, passes], { concurrency: "unbounded" })
        yield* passes
        const calls = yield* sql<{ to_number: string }>`select to_number from calls order by 1`
        assert.deepStrictEqual(
          calls.map(({ to_number }) => to_number),
          [1, 2, 3].map(numberOf).toSorted(),
        )
        const waiting = yield* sql<{ waits_for: string | null; count: number }>`
          select waits_for, count(*)::int as count from contacts where status = 'pending' group by 1`
        assert.deepStrictEqual(waiting, [{ waits_for: "quiet_period", count: 3 }])
      }),
    )
  },
)
