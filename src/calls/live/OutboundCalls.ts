/** Conducts outbound calls. One fiber per call equips the call, dials, holds the conversation and ends the call. */
import { Context, Effect, Layer } from "effect"
import { CallRecord } from "../../conversation/CallRecord.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { IntendedCall } from "../ledger/Intent.ts"
import * as CallEquipment from "./CallEquipment.ts"
import * as CallSession from "./CallSession.ts"
import { Handovers } from "./Handovers.ts"
import * as LiveCall from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"
import * as OutboundCall from "./OutboundCall.ts"

/** How many calls begin before the process yields. Hundreds at once would delay the live talks. */
const startedAtOnce = 10

export class OutboundCalls extends Context.Service<
  OutboundCalls,
  {
    /**
     * Begins to conduct calls whose rows were just committed. Returns at once. `confirmed_at`: when the database
     * confirmed that this process owns them, in milliseconds; by default the start of each call.
     */
    readonly conduct: (
      tenant: AccountEntry,
      calls: ReadonlyArray<IntendedCall>,
      confirmed_at?: number,
    ) => Effect.Effect<void>
  }
>()("calls/live/OutboundCalls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const conductOne = yield* OutboundCall.make
      const equip = yield* CallEquipment.make
      const events = yield* EventSignals
      const handovers = yield* Handovers
      const live = yield* LiveCalls

      const run: OutboundCall.Run = (session) =>
        CallSession.run({ ...session, handOver: (line) => handovers.from(session, line) })

      /** Calls of one agent from one number share their equipment. */
      const conductGroup = (tenant: AccountEntry, calls: ReadonlyArray<readonly [IntendedCall, LiveCall.LiveCall]>) =>
        Effect.uninterruptibleMask((restore) => {
          const [first] = calls
          if (first === undefined) return Effect.void
          return Effect.flatMap(Effect.exit(restore(equip(tenant, first[0]))), (equipped) =>
            Effect.forEach(
              calls,
              ([call, entry], at) => {
                if (equipped._tag === "Failure") {
                  return live.end(tenant, call, { outcome: "no_answer", end_reason: "interrupted" }, new CallRecord())
                }
                const { value } = equipped
                if ("missing" in value) {
                  return live.end(
                    tenant,
                    call,
                    { outcome: "carrier_error", end_reason: value.missing },
                    new CallRecord(),
                  )
                }
                entry.fiber = live.start(conductOne(call, entry, value, run))
                if (entry.lost) LiveCall.lose(entry)
                return (at + 1) % startedAtOnce === 0 ? Effect.yieldNow : Effect.void
              },
              { discard: true },
            ),
          )
        })

      return {
        conduct: (tenant, calls, confirmed_at) =>
          // Yields, so that a fiber that waits for the budget runs first.
          Effect.yieldNow.pipe(
            Effect.andThen(
              Effect.forEach(calls, (call) =>
                Effect.map(
                  live.add(tenant, call.id, confirmed_at ?? call.started_at.getTime()),
                  (entry) => [call, entry] as const,
                ),
              ),
            ),
            Effect.map((entries) => {
              for (const group of Map.groupBy(entries, ([call]) => CallEquipment.keyOf(call)).values()) {
                live.start(conductGroup(tenant, group))
              }
            }),
            Effect.andThen(events.written(tenant.account.slug)),
            // The time from the commit of the rows to the first progress on the calls.
            Effect.withSpan("Calls.conduct"),
          ),
      }
    }),
  )
}
