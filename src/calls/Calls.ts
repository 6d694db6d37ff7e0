/**
 * The door of the room: places calls, hangs them up, and owns the scope in which every call's fiber lives. A campaign
 * writes its intents in its own transaction (`admitLocked`, `intend`) and hands them over after the commit (`conduct`).
 */
import { Clock, Context, Deferred, Effect, FiberSet, Layer, Option, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Brain } from "../brain/Brain.ts"
import * as AgentKit from "../catalog/AgentKit.ts"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import { Node } from "../cluster/Node.ts"
import { CallRecord } from "../conversation/CallRecord.ts"
import type { AccountSlug } from "../domain/Account.ts"
import { type Call, CallId, type DoNotCall, type NewCall, type TranscriptEntry } from "../domain/Call.ts"
import type { CapReached } from "../domain/Cap.ts"
import type { NumberPaceReached } from "../domain/NumberPace.ts"
import type { Carrier } from "../domain/PhoneNumber.ts"
import { type Invalid, InvalidState, type NotFound, type UnknownReference } from "../domain/Refusals.ts"
import { EventSignals } from "../events/EventSignals.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { ofACall } from "./CallContext.ts"
import * as CallHistory from "./CallHistory.ts"
import * as DirectCall from "./DirectCall.ts"
import * as CallLog from "./ledger/CallLog.ts"
import * as CallMetrics from "./ledger/CallMetrics.ts"
import type { IntendedCall, Intent } from "./ledger/Intent.ts"
import { ending, Settlement } from "./ledger/Settlement.ts"
import * as CallRecovery from "./live/CallRecovery.ts"
import * as CallSession from "./live/CallSession.ts"
import * as LastWords from "./live/LastWords.ts"
import * as LiveCall from "./live/LiveCall.ts"
import * as LiveWords from "./live/LiveWords.ts"
import * as Ownership from "./live/Ownership.ts"
import * as Arrivals from "./visitors/Arrivals.ts"
import type { Arrival } from "./visitors/Arrivals.ts"

export { admitLocked } from "./ledger/Admission.ts"
export { AfterCall, type EndedCall, type Settle } from "./ledger/AfterCall.ts"
export type { IntendedCall, Intent } from "./ledger/Intent.ts"
export { Node } from "../cluster/Node.ts"
export { begunFrom, numberPaceOf } from "./ledger/NumberPace.ts"

/** Whose account, and its database: what a request's or a campaign's fiber has. */
type InTenant = CurrentTenant | SqlClient.SqlClient

export class Calls extends Context.Service<
  Calls,
  {
    /** Whether this build can speak to the carrier; a campaign over another one ends with `carrier_rejected`. */
    readonly dials: (carrier: Carrier) => boolean
    /**
     * Writes the intents as `queued`, in their order, inside the caller's transaction and after `admitLocked` in it. A
     * number or contact that has a live call is a `UniqueViolation` for the whole batch: leave those out before.
     */
    readonly intend: (
      intents: ReadonlyArray<Intent>,
    ) => Effect.Effect<ReadonlyArray<IntendedCall>, SqlError.SqlError, SqlClient.SqlClient>
    /** Takes calls just committed to their carrier, each a fiber in this service's scope. Returns at once. */
    readonly conduct: (tenant: AccountEntry, calls: ReadonlyArray<IntendedCall>) => Effect.Effect<void>
    /**
     * A direct call: caps, do-not-call list, its number's pace and intent in one transaction, the carrier after its
     * commit. It waits some seconds for its moment when its number may not begin another call yet.
     */
    readonly place: (
      request: NewCall,
    ) => Effect.Effect<
      Call,
      CapReached | NumberPaceReached | DoNotCall | UnknownReference | InvalidState | Invalid,
      InTenant
    >
    /** A conversation that came to us, over a line that stands: it has a row and a slot as any other call. */
    readonly receive: (arrival: Arrival) => Effect.Effect<CallId, CapReached | UnknownReference, InTenant>
    /** Ends a live call and gives it back as it ended. */
    readonly hangUp: (id: string) => Effect.Effect<Call, NotFound | InvalidState, InTenant>
    /**
     * Takes over what processes that are gone left live, and says how many. A carrier whose calls live on is asked, and
     * ends them. The outcome of any other is what its row proves (`CallRecovery.outcomeOfLost`).
     */
    readonly recover: Effect.Effect<number, never, InTenant>
    /** Live calls of this process, until their end is written: a drain waits for them. */
    readonly active: Effect.Effect<number>
    /** What was said so far on a live call of this process; undefined when it is none, or nobody talks yet. */
    readonly transcript: (account: AccountSlug, id: CallId) => ReadonlyArray<TranscriptEntry> | undefined
  }
>()("calls/Calls") {
  static readonly layer = Layer.effect(
    this,
    Effect.suspend(() => make),
  ).pipe(Layer.provide(Settlement.layer))
}

/** Calls begun before the process does something else: hundreds in one go would hold up everybody's talk. */
const startedAtOnce = 10
/** How long a hang-up waits for the end to be written. */
const hangUpLimit = "10 seconds"
/** How long an agent's kit is asked for, should the database be away at that moment. */
const kitPatience = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "20 seconds" }))

const make = Effect.gen(function* () {
  const node = yield* Node
  const telephony = yield* Telephony
  const settlement = yield* Settlement
  const tenants = yield* TenantDatabases
  const directory = yield* AccountDirectory
  const runner = yield* ToolRunner
  const events = yield* EventSignals
  const live = new Map<CallId, LiveCall.LiveCall>()
  /** When this process last called for an account, in milliseconds. */
  const inUse = new Map<AccountSlug, number>()
  const fibers = yield* FiberSet.make<void>()
  // The layer's own context: a call must not inherit the transaction of whoever places it.
  const start = yield* FiberSet.runtime(fibers)<Telephony | Brain>().pipe(Effect.updateContext(ofACall))

  const inTenant: LiveCall.InAccount = (tenant) => (effect) =>
    tenants.open(tenant).pipe(
      Effect.orDie,
      Effect.flatMap((context) => Effect.provideContext(effect, context)),
      Effect.provideService(ToolRunner, runner),
      Effect.scoped,
    )

  const counted = Effect.suspend(() => CallMetrics.active(live.size))
  /** It is no business of this process any more. */
  const letGo = (id: CallId) =>
    Effect.suspend(() => {
      const entry = live.get(id)
      live.delete(id)
      return entry === undefined ? Effect.void : Effect.andThen(Deferred.succeed(entry.over, undefined), counted)
    })

  const finish = (
    tenant: AccountEntry,
    call: CallLog.EndReport["call"],
    end: CallSession.CallEnd,
    record: CallRecord,
  ) => Effect.flatMap(ending(tenant.account.slug, { call, end, record }, letGo(call.id)), settlement.end)

  const ownership = Ownership.make({ node, directory, live, within: inTenant })
  const lastWords = LastWords.make({ telephony, finish, letGo })

  /**
   * From dialling to the report of its end, which nothing can keep from being made but another process that makes it.
   * Written once for all calls: a generator function made anew for each takes ten microseconds, as long as all it does.
   */
  const toItsEnd = Effect.fnUntraced(function* (
    tenant: AccountEntry,
    call: IntendedCall,
    entry: LiveCall.LiveCall,
    equipment: Equipment,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  ) {
    const record = new CallRecord()
    entry.record = record
    const { slug } = tenant.account
    const session: CallSession.Session = {
      ...equipment,
      tenant,
      call,
      record,
      hangUp: entry.hangUp,
      ringing: settlement.progress(slug, call.id, { status: "ringing", answered_at: null }),
      answered: (answered_at) => settlement.progress(slug, call.id, { status: "in_progress", answered_at }),
      dialling: Effect.andThen(
        ownership.mine(call.id, entry, true),
        Effect.sync(() => void (entry.dialled = true)),
      ),
      mine: ownership.mine(call.id, entry),
      inTenant: inTenant(tenant),
    }
    const end = yield* restore(CallSession.run(session)).pipe(
      Effect.catchCause((cause) => CallSession.endOf(cause, record)),
    )
    if (entry.lost) return yield* letGo(call.id)
    if (!entry.dialled || !telephony.outlives(equipment.number.carrier)) {
      return yield* finish(tenant, call, end, record)
    }
    const { kit, number } = equipment
    const { max_call_seconds } = kit.agent
    yield* restore(lastWords.hear({ tenant, call, number, max_call_seconds, end, record }))
  })
  const one = (tenant: AccountEntry, call: IntendedCall, entry: LiveCall.LiveCall, equipment: Equipment) =>
    Effect.uninterruptibleMask((restore) => toItsEnd(tenant, call, entry, equipment, restore))

  /** Calls of one agent from one number, which are equipped once. */
  const group = (
    tenant: AccountEntry,
    calls: ReadonlyArray<readonly [IntendedCall, LiveCall.LiveCall]>,
    first: IntendedCall,
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.exit(restore(equip(tenant, first))), (equipped) =>
        Effect.forEach(
          calls,
          ([call, entry], at) => {
            if (equipped._tag === "Failure") {
              return finish(tenant, call, { outcome: "no_answer", end_reason: "interrupted" }, new CallRecord())
            }
            const { value } = equipped
            return "missing" in value
              ? finish(tenant, call, { outcome: "carrier_error", end_reason: value.missing }, new CallRecord())
              : Effect.suspend(() => {
                  entry.fiber = start(one(tenant, call, entry, value))
                  if (entry.lost) LiveCall.lose(entry)
                  return (at + 1) % startedAtOnce === 0 ? Effect.yieldNow : Effect.void
                })
          },
          { discard: true },
        ),
      ),
    )

  const equip = (tenant: AccountEntry, { agent_id, agent_version, phone_number_id }: IntendedCall) =>
    Effect.gen(function* () {
      const kit = yield* Effect.option(AgentKit.of(agent_id, agent_version))
      if (Option.isNone(kit)) return { missing: "agent_missing" } as const
      const number = yield* Effect.option(PhoneNumbers.findForCarrier(phone_number_id))
      if (Option.isNone(number)) return { missing: "phone_number_missing" } as const
      if (!telephony.dials(number.value.carrier)) return { missing: "carrier_unavailable" } as const
      return { kit: kit.value, number: number.value }
    }).pipe(
      inTenant(tenant),
      Effect.catchDefect((defect) => Effect.fail(defect)),
      Effect.retry(kitPatience),
      Effect.catch((defect) =>
        Effect.as(Effect.logError("an agent could not be read for its calls", defect), {
          missing: "agent_error",
        } as const),
      ),
    )

  const conduct = (tenant: AccountEntry, calls: ReadonlyArray<IntendedCall>) =>
    // Whoever has the budget now goes on first.
    Effect.andThen(Effect.yieldNow, Clock.currentTimeMillis).pipe(
      Effect.map((now) => {
        inUse.set(tenant.account.slug, now)
        const entries = calls.map((call) => {
          const entry = LiveCall.make(tenant, call.started_at.getTime())
          live.set(call.id, entry)
          return [call, entry] as const
        })
        const groups = Map.groupBy(
          entries,
          ([{ agent_id, agent_version, phone_number_id }]) => `${agent_id} ${agent_version} ${phone_number_id}`,
        )
        for (const members of groups.values()) {
          const [first] = members
          if (first !== undefined) start(group(tenant, members, first[0]))
        }
      }),
      Effect.andThen(counted),
      Effect.andThen(events.written(tenant.account.slug)),
      // Between the commit of the intents and the first word on them.
      Effect.withSpan("Calls.conduct"),
    )

  const hangUp = Effect.fn("Calls.hangUp")(function* (id: string) {
    const call = yield* CallHistory.find(id)
    if (call.ended_at !== null) {
      return yield* new InvalidState({ state: call.status, detail: `The call has ended; it is ${call.status}` })
    }
    const entry = live.get(call.id)
    if (entry !== undefined) {
      yield* Deferred.succeed(entry.hangUp, undefined)
      yield* Effect.timeoutOption(Deferred.await(entry.over), hangUpLimit)
    } else {
      yield* node.askToHangUp(call.id, yield* CallLog.nodeOf(call.id))
      const ended = CallHistory.find(id).pipe(
        Effect.repeat({ schedule: Schedule.spaced("250 millis"), until: ({ ended_at }) => ended_at !== null }),
      )
      yield* Effect.timeoutOption(ended, hangUpLimit)
    }
    return yield* CallHistory.find(id)
  })

  /** What no carrier can tell of is settled at once; who asks a carrier holds up nobody, and keeps the slot until then. */
  const recover = Effect.gen(function* () {
    const tenant = yield* CurrentTenant
    const lost = yield* CallRecovery.lost(node, (id) => live.has(id))
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      lost,
      Effect.fnUntraced(function* (row) {
        // Two sweeps may have found it: from its row it is this process's own, and for a moment nobody's in here.
        if (live.has(row.id)) return
        const entry = LiveCall.make(tenant, now)
        live.set(row.id, entry)
        const number = yield* Effect.option(PhoneNumbers.findForCarrier(row.phone_number_id ?? ""))
        const record = new CallRecord()
        record.answered_at = row.answered_at
        record.words_in_row = true
        const end = { outcome: CallRecovery.outcomeOfLost(row), end_reason: "interrupted" } as const
        if (Option.isSome(number) && telephony.outlives(number.value.carrier)) {
          const { max_call_seconds } = row
          return void start(lastWords.hear({ tenant, call: row, number: number.value, max_call_seconds, end, record }))
        }
        yield* finish(tenant, row, end, record)
        yield* Deferred.await(entry.over)
      }),
      { concurrency: "unbounded", discard: true },
    )
    return lost.length
  }).pipe(Effect.withSpan("Calls.recover"))

  yield* CallRecovery.sweep({
    node,
    directory,
    inUse,
    recover: (entry) => inTenant(entry)(recover),
  }).pipe(Effect.forkScoped)
  yield* Effect.forkScoped(ownership.watch)
  yield* Effect.forkScoped(LiveWords.gather({ live, tell: settlement.words }))
  yield* node.hangUps.pipe(
    Effect.flatMap((ids) =>
      Effect.forEach(ids, (id) => {
        const entry = live.get(CallId.make(id))
        return entry === undefined ? Effect.void : Deferred.succeed(entry.hangUp, undefined)
      }),
    ),
    Effect.catchCause((cause) => Effect.logWarning("requests to hang up could not be read", cause)),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped,
  )

  return Calls.of({
    dials: telephony.dials,
    intend: (intents) => CallLog.intend(node.id, intents),
    conduct,
    place: DirectCall.place({ obstacleOf: telephony.obstacleOf, node: node.id, conduct }),
    receive: yield* Arrivals.make({ node: node.id, inTenant, live, inUse, counted, settlement, finish, letGo, start }),
    hangUp,
    recover,
    active: Effect.sync(() => live.size),
    transcript: (account, id) => {
      const entry = live.get(id)
      return entry?.tenant.account.slug === account ? entry.record?.transcript : undefined
    },
  })
})

type Equipment = Pick<CallSession.Session, "kit" | "number">
