/** Conducts outbound calls: each is equipped, dialled, held and ended in a fiber of its own. */
import { Context, Effect, Layer, Option, Schedule } from "effect"
import * as AgentKit from "../../catalog/AgentKit.ts"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { IntendedCall } from "../ledger/Intent.ts"
import * as CallSession from "./CallSession.ts"
import { InAccount } from "./InAccount.ts"
import { LastWords } from "./LastWords.ts"
import * as LiveCall from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { Ownership } from "./Ownership.ts"

/** Calls begun before the process yields: hundreds at once would delay the live talks. */
const startedAtOnce = 10
/** How long reading the agent is retried, should the database be away at that moment. */
const equipRetry = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "20 seconds" }))

/** What a call needs in addition to its row. */
type Equipment = Pick<CallSession.Session, "kit" | "number">

export class OutboundCalls extends Context.Service<
  OutboundCalls,
  {
    /** Conducts calls whose intents were just committed. Returns at once. */
    readonly conduct: (tenant: AccountEntry, calls: ReadonlyArray<IntendedCall>) => Effect.Effect<void>
  }
>()("calls/live/OutboundCalls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const events = yield* EventSignals
      const inAccount = yield* InAccount
      const lastWords = yield* LastWords
      const live = yield* LiveCalls
      const ownership = yield* Ownership
      const telephony = yield* Telephony
      const writer = yield* CallWriter

      /**
       * From dialling to the report of the end, which is made unless another process took over the call. Built once for
       * all calls: a new generator function for each costs 10 µs, as much as the rest of it.
       */
      const conductOne = Effect.fnUntraced(function* (
        call: IntendedCall,
        entry: LiveCall.LiveCall,
        equipment: Equipment,
        restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
      ) {
        const { tenant } = entry
        const { slug } = tenant.account
        const record = new CallRecord()
        entry.record = record
        const session: CallSession.Session = {
          ...equipment,
          tenant,
          call,
          record,
          hangUp: entry.hangUp,
          ringing: writer.progress(slug, call.id, { status: "ringing", answered_at: null }),
          answered: (answered_at) => writer.progress(slug, call.id, { status: "in_progress", answered_at }),
          dialling: Effect.andThen(
            ownership.confirmAnew(entry),
            Effect.sync(() => void (entry.dialled = true)),
          ),
          mine: ownership.confirm(entry),
          inTenant: inAccount(tenant),
        }
        const end = yield* restore(CallSession.run(session)).pipe(
          Effect.catchCause((cause) => CallSession.endOf(cause, record, "phone")),
        )
        if (entry.lost) return yield* live.release(call.id)
        const { kit, number } = equipment
        if (!entry.dialled || !telephony.outlives(number.carrier)) return yield* live.end(tenant, call, end, record)
        const { max_call_seconds } = kit.agent
        yield* restore(lastWords.await({ tenant, call, number, max_call_seconds, end, record }))
      })

      const equip = (tenant: AccountEntry, { agent_id, agent_version, phone_number_id }: IntendedCall) =>
        Effect.gen(function* () {
          const kit = yield* Effect.option(AgentKit.find(agent_id, agent_version))
          if (Option.isNone(kit)) return { missing: "agent_missing" } as const
          const number = yield* Effect.option(PhoneNumbers.findForCarrier(phone_number_id))
          if (Option.isNone(number)) return { missing: "phone_number_missing" } as const
          if (!telephony.dials(number.value.carrier)) return { missing: "carrier_unavailable" } as const
          return { kit: kit.value, number: number.value }
        }).pipe(
          inAccount(tenant),
          Effect.catchDefect((defect) => Effect.fail(defect)),
          Effect.retry(equipRetry),
          Effect.catch((defect) =>
            Effect.as(Effect.logError("reading the agent of a call failed", defect), {
              missing: "agent_error",
            } as const),
          ),
        )

      /** Calls of one agent from one number: equipped once. */
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
                entry.fiber = live.start(
                  Effect.uninterruptibleMask((restoreCall) => conductOne(call, entry, value, restoreCall)),
                )
                if (entry.lost) LiveCall.lose(entry)
                return (at + 1) % startedAtOnce === 0 ? Effect.yieldNow : Effect.void
              },
              { discard: true },
            ),
          )
        })

      return {
        conduct: (tenant, calls) =>
          // A fiber that waits for the budget runs first.
          Effect.yieldNow.pipe(
            Effect.andThen(
              Effect.forEach(calls, (call) =>
                Effect.map(live.add(tenant, call.id, call.started_at.getTime()), (entry) => [call, entry] as const),
              ),
            ),
            Effect.map((entries) => {
              for (const group of Map.groupBy(entries, ([call]) => equipmentKey(call)).values()) {
                live.start(conductGroup(tenant, group))
              }
            }),
            Effect.andThen(events.written(tenant.account.slug)),
            // From the commit of the intents to the first word on them.
            Effect.withSpan("Calls.conduct"),
          ),
      }
    }),
  )
}

const equipmentKey = ({ agent_id, agent_version, phone_number_id }: IntendedCall) =>
  `${agent_id} ${agent_version} ${phone_number_id}`
