/** The door of the calls room, on a real database: whatever happens to a call, its slot comes back, once. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schedule, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Brain } from "../../src/brain/Brain.ts"
import { AfterCall, Calls, type EndedCall } from "../../src/calls/Calls.ts"
import { E164 } from "../../src/domain/E164.ts"
import { AccountDirectory } from "../../src/tenancy/AccountDirectory.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { labLog } from "../support/LabLog.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

const options = { timeout: "120 seconds", excludeTestServices: true } as const
type TenantEntry = Effect.Success<ReturnType<typeof newAccount>>
const fresh = (caps: object = CallsRoom.wide) => newAccount(`a-${uuidv7()}`, caps)
/** Runs the body in an account of its own. */
const inFresh = <A, E, R>(body: (entry: TenantEntry) => Effect.Effect<A, E, R>, caps?: object) =>
  Effect.flatMap(fresh(caps), (entry) => body(entry).pipe(within(entry)))
const numbers = (count: number, suffix: string, from = 1_000_000) =>
  Array.from({ length: count }, (_, at) => `+1415${from + at}${suffix}`)

const lab = labLog()

it.layer(CallsRoom.layer({ env: { LAB_LOG: lab.file } }), options)("calls of a process", (it) => {
  it.effect("a thousand calls at once all end, and free their slots", () =>
    inFresh((entry) =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const { intentTo } = yield* CallsRoom.equip
        const all = yield* CallsRoom.intended(numbers(1_000, "01").map(intentTo))
        assert.strictEqual(all.length, 1_000)
        yield* calls.conduct(entry, all)
        assert.strictEqual(yield* calls.active, 1_000)
        yield* CallsRoom.quiet
        const rows = yield* CallsRoom.rows
        assert.isTrue(rows.every(({ outcome, status }) => status === "completed" && outcome === "answered"))
      }),
    ),
  )

  it.effect("when two batches race for the last slots, exactly as many calls as fit are admitted", () =>
    inFresh(
      () =>
        Effect.gen(function* () {
          const { intentTo } = yield* CallsRoom.equip
          const batches = [numbers(5, "01"), numbers(5, "02")].map((batch) => CallsRoom.intended(batch.map(intentTo)))
          const [first = [], second = []] = yield* Effect.all(batches, { concurrency: "unbounded" })
          assert.strictEqual(first.length + second.length, 7)
          assert.strictEqual(yield* CallsRoom.inUse, 7)
        }),
      { concurrent_max: 7 },
    ),
  )

  it.effect("intents begin in their order, each at the database's time under the lock", () =>
    inFresh(() =>
      Effect.gen(function* () {
        const { intentTo } = yield* CallsRoom.equip
        const all = yield* CallsRoom.intended(numbers(50, "01").map(intentTo))
        assert.deepStrictEqual(
          all.map(({ to_number }) => to_number),
          numbers(50, "01"),
        )
        const times = all.map(({ started_at }) => started_at.getTime())
        assert.deepStrictEqual(times, times.toSorted())
      }),
    ),
  )

  it.effect("a call whose agent or number was deleted before it began ends without a dial", () =>
    inFresh((entry) =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const sql = yield* SqlClient.SqlClient
        const { agent_id, intentTo, phone_number_id } = yield* CallsRoom.equip
        const all = yield* CallsRoom.intended([intentTo("+14155550101")])
        yield* sql`delete from phone_numbers where id = ${phone_number_id}`
        yield* calls.conduct(entry, all)
        yield* CallsRoom.quiet
        const more = yield* CallsRoom.intended([intentTo("+14155550102")])
        yield* sql`delete from agents where id = ${agent_id}`
        yield* calls.conduct(entry, more)
        yield* CallsRoom.quiet
        assert.deepStrictEqual(
          (yield* CallsRoom.rows).map(({ end_reason, outcome, status }) => [status, outcome, end_reason]),
          [
            ["failed", "carrier_error", "phone_number_missing"],
            ["failed", "carrier_error", "agent_missing"],
          ],
        )
      }),
    ),
  )

  it.effect("the ends of calls are written when a database that was unreachable is back", () =>
    Effect.gen(function* () {
      const entry = yield* fresh()
      const { maintenance } = yield* DatabaseServer
      const database = maintenance(entry.database)
      const all = yield* Effect.gen(function* () {
        const calls = yield* Calls
        const { intentTo } = yield* CallsRoom.equip
        const all = yield* CallsRoom.intended(numbers(20, "75").map(intentTo))
        yield* calls.conduct(entry, all)
        return all
      }).pipe(within(entry))
      // A call that is not yet dialled waits for its database: it would end only when the database is back.
      yield* Effect.promise(() => until(() => all.every(({ id }) => lab.dialled().includes(id))))
      yield* maintenance`alter database ${database} with allow_connections false`
      yield* maintenance`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${entry.database}`
      yield* Effect.promise(() => until(() => all.every(({ id }) => lab.ended().includes(id))))
      yield* maintenance`alter database ${database} with allow_connections true`
      yield* Effect.gen(function* () {
        yield* CallsRoom.quiet.pipe(Effect.retry(Schedule.spaced("100 millis")))
        assert.isTrue((yield* CallsRoom.rows).every(({ outcome }) => outcome === "no_answer"))
      }).pipe(within(entry))
    }),
  )

  it.effect("the calls of a dead process are recovered with the outcome that each row proves", () =>
    inFresh(() =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const sql = yield* SqlClient.SqlClient
        const platform = yield* PlatformDatabase
        const { intentTo } = yield* CallsRoom.equip
        const [queued, silent, greeted, talked, alive, mine] = yield* CallsRoom.intended(numbers(6, "01").map(intentTo))
        const [gone, other] = [uuidv7(), uuidv7()]
        // One that is gone has no row: the sweep of this process, which begins by such rows, must not be here before us.
        yield* platform`insert into nodes (id, seen_at) values (${other}, now() + interval '1 hour')`
        yield* sql`update calls set node_id = ${gone}, status = 'ringing' where id = ${queued?.id ?? ""}`
        yield* sql`
          update calls set node_id = ${gone}, status = 'in_progress', answered_at = clock_timestamp()
          where id = any(${[silent, greeted, talked].map((call) => call?.id ?? "")}::uuid[])`
        const said = (role: string, text: string) => ({ role, text, at: new Date(0), started_ms: 0, ended_ms: 1 })
        const agentSaid = said("agent", "Hello, this is Rosa. Please leave a message after the tone, as they say.")
        const spoken = [
          [silent, [agentSaid]],
          [greeted, [agentSaid, said("caller", "You have reached my mailbox, please leave a message."), agentSaid]],
          [talked, [agentSaid, said("caller", "Hello?"), said("caller", "Do I leave a message after the tone?")]],
        ] as const
        for (const [call, transcript] of spoken) {
          yield* sql`update calls set transcript = ${JSON.stringify(transcript)}::jsonb where id = ${call?.id ?? ""}`
        }
        yield* sql`update calls set node_id = ${other} where id = ${alive?.id ?? ""}`
        assert.strictEqual(yield* calls.recover, 4)
        assert.strictEqual(yield* calls.recover, 0)
        const after = new Map((yield* CallsRoom.rows).map((row) => [row.id, row]))
        assert.include(
          { ...after.get(queued?.id ?? "") },
          { outcome: "unknown", status: "failed", end_reason: "interrupted" },
        )
        assert.include({ ...after.get(silent?.id ?? "") }, { outcome: "unknown", status: "failed" })
        assert.include({ ...after.get(greeted?.id ?? "") }, { outcome: "voicemail", status: "completed" })
        assert.include({ ...after.get(talked?.id ?? "") }, { outcome: "answered", status: "completed" })
        assert.include({ ...after.get(alive?.id ?? "") }, { status: "queued" })
        assert.include({ ...after.get(mine?.id ?? "") }, { status: "queued" })
        assert.strictEqual(yield* CallsRoom.inUse, 2)
        yield* platform`delete from nodes where id = ${other}`
      }),
    ),
  )

  it.effect("concurrent sweeps of the same calls settle each call once, and all of them finish", () =>
    inFresh(() =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const sql = yield* SqlClient.SqlClient
        const { intentTo } = yield* CallsRoom.equip
        yield* CallsRoom.intended(numbers(40, "01").map(intentTo))
        yield* sql`update calls set node_id = ${uuidv7()}, started_at = started_at - interval '1 minute'`
        yield* Effect.all(
          Array.from({ length: 60 }, (_, at) => Effect.delay(calls.recover, at * 2)),
          { concurrency: "unbounded" },
        )
        yield* CallsRoom.quiet
        assert.isTrue((yield* CallsRoom.rows).every(({ outcome }) => outcome === "unknown"))
      }),
    ),
  )

  it.effect("a call whose row was written and that no fiber of this process conducts is settled as unknown", () =>
    inFresh(() =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const sql = yield* SqlClient.SqlClient
        const { intentTo } = yield* CallsRoom.equip
        yield* CallsRoom.intended(numbers(1, "01").map(intentTo))
        assert.strictEqual(yield* calls.recover, 0)
        yield* sql`update calls set started_at = started_at - interval '1 minute'`
        assert.strictEqual(yield* calls.recover, 1)
        const [row] = yield* CallsRoom.rows
        assert.strictEqual(row?.outcome, "unknown")
      }),
    ),
  )

  it.effect("any process can hang up a call of another one", () =>
    Effect.gen(function* () {
      const entry = yield* fresh()
      const there = yield* Layer.build(CallsRoom.process({ env: { LAB_SPEED: "1" } }))
      yield* Effect.gen(function* () {
        const { agent_id, phone_number_id } = yield* CallsRoom.equip
        const request = { agent_id, phone_number_id, to: E164.make("+14155550175") }
        const placed = yield* Context.get(there, Calls).place(request, [])
        const here = yield* Calls
        const ended = yield* here.hangUp(placed.id)
        assert.include({ ...ended }, { status: "failed", outcome: "no_answer", end_reason: "hung_up" })
      }).pipe(within(entry))
    }),
  )

  it.effect("a process that stops ends its calls and writes their ends", () =>
    Effect.gen(function* () {
      const entry = yield* fresh()
      const scope = yield* Scope.make()
      const there = yield* Layer.buildWithScope(CallsRoom.process({ env: { LAB_SPEED: "1" } }), scope)
      yield* Effect.gen(function* () {
        const { agent_id, phone_number_id } = yield* CallsRoom.equip
        yield* Context.get(there, Calls).place({ agent_id, phone_number_id, to: E164.make("+14155550175") }, [])
        yield* Effect.repeat(CallsRoom.rows, { until: ([row]) => row?.status === "ringing" })
        yield* Scope.close(scope, Exit.void)
        const [row] = yield* CallsRoom.rows
        assert.include({ ...row }, { status: "failed", outcome: "no_answer", end_reason: "interrupted" })
        assert.strictEqual(yield* CallsRoom.inUse, 0)
      }).pipe(within(entry))
    }),
  )

  it.effect("a process that stops during a machine's greeting does not report an answer", () =>
    Effect.gen(function* () {
      const entry = yield* fresh()
      const scope = yield* Scope.make()
      const there = yield* Layer.buildWithScope(CallsRoom.process({ env: { LAB_SPEED: "4" } }), scope)
      yield* Effect.gen(function* () {
        const { agent_id, phone_number_id } = yield* CallsRoom.equip
        yield* Context.get(there, Calls).place({ agent_id, phone_number_id, to: E164.make("+14155550180") }, [])
        yield* Effect.repeat(CallsRoom.rows, { until: ([row]) => row?.status === "in_progress" })
        yield* Scope.close(scope, Exit.void)
        const [row] = yield* CallsRoom.rows
        assert.include({ ...row }, { status: "failed", outcome: "unknown", end_reason: "interrupted" })
      }).pipe(within(entry))
    }),
  )

  it.effect("calls of an account that is dropped in the meantime delay no other account", () =>
    Effect.gen(function* () {
      const entry = yield* fresh()
      const calls = yield* Calls
      const { intentTo } = yield* CallsRoom.equip.pipe(within(entry))
      const all = yield* CallsRoom.intended([intentTo("+14155550175")]).pipe(within(entry))
      yield* calls.conduct(entry, all)
      const platform = yield* PlatformDatabase
      yield* platform`delete from accounts where id = ${entry.id}`
      yield* AccountDirectory.use((directory) => directory.forget(entry.account.slug))
      yield* CallsRoom.idle
    }),
  )
})

const brains = {
  "whose answer is a defect": Layer.succeed(Brain, { reply: () => Stream.die(new Error("broken")) }),
  "that throws": Layer.succeed(Brain, {
    reply: () => {
      throw new Error("broken")
    },
  }),
  "that interrupts itself": Layer.succeed(Brain, { reply: () => Stream.fromEffect(Effect.interrupt) }),
}
for (const [what, brain] of Object.entries(brains)) {
  it.layer(CallsRoom.layer({ brain }), options)(`a brain ${what}`, (it) => {
    it.effect("ends the call with agent_error and frees the slot", () =>
      inFresh((entry) =>
        Effect.gen(function* () {
          const calls = yield* Calls
          const { intentTo } = yield* CallsRoom.equip
          yield* calls.conduct(entry, yield* CallsRoom.intended([intentTo("+14155550101")]))
          yield* CallsRoom.quiet
          const [row] = yield* CallsRoom.rows
          assert.include({ ...row }, { status: "completed", outcome: "answered" })
          assert.include(["agent_error", "interrupted"], row?.end_reason)
          assert.strictEqual(yield* calls.active, 0)
        }),
      ),
    )
  })
}

/** Refuses to settle one number until it is healed, and keeps what it was told. */
const settled: Array<EndedCall> = []
let healed = false
const poisoned = "+14155550170"
const after = Layer.succeed(AfterCall, {
  lockCampaigns: () => Effect.succeed(new Map()),
  settle: (ended) =>
    !healed && ended.some(({ to_number }) => to_number === poisoned)
      ? Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql`select 1 / 0`))
      : Effect.sync(() => void settled.push(...ended)),
})

it.layer(CallsRoom.layer({ after, env: { LAB_SPEED: "1000" } }), options)("what follows from ended calls", (it) => {
  it.effect("runs in the transaction of the ends; a call that cannot be settled delays no other", () =>
    inFresh((entry) =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const { intentTo } = yield* CallsRoom.equip
        const all = [poisoned, ...numbers(30, "70")].map(intentTo)
        yield* calls.conduct(entry, yield* CallsRoom.intended(all))
        yield* CallsRoom.untilInUse(1)
        assert.deepStrictEqual(settled.map(({ to_number }) => to_number).toSorted(), numbers(30, "70"))
        const live = (yield* CallsRoom.rows).filter(({ outcome }) => outcome === null)
        assert.deepStrictEqual(
          live.map(({ to_number }) => to_number),
          [poisoned],
        )
        assert.isTrue(settled.every(({ accepted, outcome }) => outcome === "busy" && !accepted))
        healed = true
        yield* CallsRoom.quiet
        assert.strictEqual(settled.length, 31)
      }),
    ),
  )
})
