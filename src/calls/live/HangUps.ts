/** Ends live calls on request, whichever process conducts them. */
import { Context, Deferred, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { Node } from "../../cluster/Node.ts"
import { type Call, CallId } from "../../domain/Call.ts"
import { InvalidState, type NotFound } from "../../domain/Refusals.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as CallHistory from "../CallHistory.ts"
import * as CallLog from "../ledger/CallLog.ts"
import * as ChatRows from "../ledger/ChatRows.ts"
import { CallRecovery } from "./CallRecovery.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How long a request waits for the end to be written. */
const endLimit = "10 seconds"
const pollEvery = "250 millis"
/** How often this process looks for requests, received by other processes, to end its calls. */
const requestsEvery = "1 second"

export class HangUps extends Context.Service<
  HangUps,
  {
    /** Ends a live call and returns it with its end. After ten seconds, returns it in its present state. */
    readonly hangUp: (id: string) => Effect.Effect<Call, NotFound | InvalidState, CurrentTenant | SqlClient.SqlClient>
    /** Ends the session's conversations in writing at other processes, without waiting for their ends. */
    readonly endChatsElsewhere: (session: string) => Effect.Effect<void, never, SqlClient.SqlClient>
  }
>()("calls/live/HangUps") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const node = yield* Node
      const { recover } = yield* CallRecovery

      /** Hangs up those of the calls that this process conducts. Returns the ids of the others. */
      const end = (ids: ReadonlyArray<string>) =>
        ids.filter((id) => {
          const call = live.all.get(CallId.make(id))
          if (call !== undefined) Deferred.doneUnsafe(call.hangUp, Effect.void)
          return call === undefined
        })
      /** Ids of the last check that were not found: this process may begin to conduct a committed call later. */
      let early: ReadonlyArray<string> = []
      yield* node.hangUps.pipe(
        Effect.map((ids) => {
          end(early)
          early = end(ids)
        }),
        Effect.catchCause((cause) => Effect.logWarning("reading requests to hang up failed", cause)),
        Effect.repeat(Schedule.spaced(requestsEvery)),
        Effect.forkScoped,
      )

      /** Asks the process that conducts the call to end it. */
      const ask = Effect.fnUntraced(function* (id: CallId) {
        const here = live.all.get(id)
        if (here !== undefined) {
          yield* Deferred.succeed(here.hangUp, undefined)
          return yield* Deferred.await(here.over)
        }
        // A chat that waits for its page has no process that could end it. Uninterruptible: a call that is being settled
        // must get its end.
        if (yield* Effect.orDie(ChatRows.giveUp(id))) yield* Effect.uninterruptible(recover)
        yield* node.askToHangUp(id, yield* CallLog.nodeOf(id))
      })

      /** Asks again and again, because a chat may move to another process meanwhile, or its process may die. */
      const askUntilEnded = (id: CallId) =>
        Effect.andThen(ask(id), CallHistory.find(id)).pipe(
          Effect.repeat({ schedule: Schedule.spaced(pollEvery), until: ({ ended_at }) => ended_at !== null }),
          Effect.timeoutOption(endLimit),
        )

      const endChatsElsewhere = Effect.fn("HangUps.endChatsElsewhere")(
        function* (session: string) {
          for (const { id, node_id } of yield* ChatRows.findElsewhere(node.id, session)) {
            // Without a process, the recovery ends it soon.
            yield* ChatRows.giveUp(id)
            yield* node.askToHangUp(id, node_id)
          }
        },
        Effect.catchCause((cause) => Effect.logWarning("ending the session's other conversations failed", cause)),
      )

      return {
        endChatsElsewhere,
        hangUp: Effect.fn("Calls.hangUp")(function* (id: string) {
          const call = yield* CallHistory.find(id)
          if (call.ended_at !== null) {
            return yield* new InvalidState({ state: call.status, detail: `The call has ended; it is ${call.status}` })
          }
          // The signal to the call's process is outside of this transaction. If this process is killed in between, the
          // audit trail has an entry too many, not one too few.
          yield* Effect.orDie(AuditTrail.write())
          yield* askUntilEnded(call.id)
          return yield* CallHistory.find(id)
        }),
      }
    }),
  )
}
