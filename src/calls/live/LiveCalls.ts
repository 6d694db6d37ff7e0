/** The calls that this process conducts, by id, and the scope of their fibers. */
import { Clock, Context, Deferred, Effect, type Fiber, FiberSet, Layer } from "effect"
import type { Brain } from "../../brain/Brain.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import type { Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import * as CallTrace from "../../telemetry/CallTrace.ts"
import { pickForCall } from "../CallContext.ts"
import type { EndReport } from "../ledger/CallLog.ts"
import * as CallMetrics from "../ledger/CallMetrics.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { CallEnd } from "./CallSession.ts"
import { CallLengths } from "./CallLengths.ts"
import * as LiveCall from "./LiveCall.ts"

/**
 * For this long after this process's last call in an account, the account is swept for calls that the process has lost.
 */
const recentMs = 120_000

export class LiveCalls extends Context.Service<
  LiveCalls,
  {
    readonly all: ReadonlyMap<CallId, LiveCall.LiveCall>
    /** The number of calls that are not over. */
    readonly conducted: () => number
    /** How long this process's calls last on average at the moment, in milliseconds. */
    readonly meanMs: () => number
    /** Registers a call whose row was committed, or taken over, at `confirmed_at` (milliseconds). */
    readonly add: (tenant: AccountEntry, id: CallId, confirmed_at: number) => Effect.Effect<LiveCall.LiveCall>
    /** Runs a call's program. It is interrupted when the process stops, and the call's end is still written. */
    readonly start: (program: Effect.Effect<void, never, Telephony | Brain>) => Fiber.Fiber<void>
    /** Enqueues the end of a call, and releases the call when that is written. */
    readonly end: (
      tenant: AccountEntry,
      call: EndReport["call"],
      end: CallEnd,
      record: CallRecord,
    ) => Effect.Effect<void>
    /** Stops conducting a call and leaves its row as it is. */
    readonly release: (id: CallId) => Effect.Effect<void>
    /** The accounts in which this process had calls within the last two minutes. */
    readonly recentAccounts: Effect.Effect<ReadonlyArray<AccountSlug>>
  }
>()("calls/live/LiveCalls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const writer = yield* CallWriter
      const all = new Map<CallId, LiveCall.LiveCall>()
      /** When this process last had a call in each account, in milliseconds. */
      const calledAt = new Map<AccountSlug, number>()
      const fibers = yield* FiberSet.make<void>()
      // Calls run in the layer's own context: a call must not inherit the transaction of the fiber that places it.
      const start = yield* FiberSet.runtime(fibers)<Telephony | Brain>().pipe(Effect.updateContext(pickForCall))
      const clock = yield* Clock.Clock
      const lengths = new CallLengths(clock.currentTimeMillisUnsafe())
      const showCount = Effect.suspend(() => CallMetrics.setActive(all.size))

      const release = (id: CallId) =>
        Effect.suspend(() => {
          const call = all.get(id)
          all.delete(id)
          if (call?.ending === false) lengths.leave(call.began_at)
          return call === undefined ? Effect.void : Effect.andThen(Deferred.succeed(call.over, undefined), showCount)
        })

      /** Notes that the call is over. */
      const finish = (call: LiveCall.LiveCall, now: number) => {
        if (call.ending) return
        call.ending = true
        lengths.end(call.began_at, now)
      }

      return {
        all,
        conducted: () => lengths.inProgress,
        meanMs: () => lengths.mean(clock.currentTimeMillisUnsafe()),
        add: (tenant, id, confirmed_at) =>
          Effect.flatMap(CallTrace.begin(tenant.account.slug, id, confirmed_at), (trace) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => {
              calledAt.set(tenant.account.slug, now)
              const call = LiveCall.make(id, tenant, confirmed_at, trace, now)
              // A conversation in writing may come back before its previous entry is released.
              const before = all.get(id)
              if (before?.ending === false) lengths.leave(before.began_at)
              all.set(id, call)
              lengths.begin(now)
              return Effect.as(showCount, call)
            }),
          ),
        start,
        end: (tenant, call, end, record) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const entry = all.get(call.id)
            if (entry !== undefined) finish(entry, now)
            const written = release(call.id)
            const { slug } = tenant.account
            const traced =
              entry?.trace === undefined
                ? written
                : Effect.andThen(endTrace(entry.trace, call, end, record, now), written)
            return writer.end(slug, { call, end, record }, traced)
          }),
        release,
        recentAccounts: Effect.map(Clock.currentTimeMillis, (now) => {
          for (const [slug, at] of calledAt) if (now - at > recentMs) calledAt.delete(slug)
          return [...calledAt.keys()]
        }),
      }
    }),
  )
}

const endTrace = (
  trace: CallTrace.CallTrace,
  { attempt_number: attempt, campaign_id: campaign, direction }: EndReport["call"],
  { end_reason, outcome }: CallEnd,
  { answered_at, carrier, speed, turns }: CallRecord,
  ended: number,
) =>
  CallTrace.end(trace, {
    attributes: { attempt, campaign, carrier, direction, end_reason, outcome },
    answered: answered_at?.getTime() ?? null,
    ended,
    speed,
    turns,
  })
