/** Passes supervisors' instructions to the agents of live calls that this process conducts. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { authorOf } from "../../domain/AgentVersion.ts"
import type { Call } from "../../domain/Call.ts"
import type { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import * as RateAllowance from "../../domain/RateAllowance.ts"
import type { InvalidState, NotFound } from "../../domain/Refusals.ts"
import { type NewWhisper, whispersAMinute, WhisperLimited } from "../../domain/Whisper.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { findAnswered } from "./CallHere.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How many calls' whispers are counted; beyond that the oldest call is forgotten. */
const remembered = 10_000

export class Whispers extends Context.Service<
  Whispers,
  {
    /** Gives the text to the agent for its next reply. Returns the call. */
    readonly whisper: (
      id: string,
      whisper: NewWhisper,
    ) => Effect.Effect<
      Call,
      NotFound | InvalidState | CallElsewhere | WhisperLimited,
      SqlClient.SqlClient | CurrentTenant | CurrentPrincipal
    >
  }
>()("calls/live/Whispers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const allowance = RateAllowance.make(whispersAMinute, remembered)
      return {
        whisper: Effect.fn("Calls.whisper")(function* (id: string, { text }: NewWhisper) {
          const { call, record, refuse } = yield* findAnswered(live, id)
          const by = authorOf(yield* CurrentPrincipal)
          const { whisper } = record
          if (whisper === null) return yield* refuse("The talk is ending.")
          const now = yield* Clock.currentTimeMillis
          const wait = allowance.take(call.id, now)
          if (wait > 0) {
            const resets_at = new Date(now + wait)
            return yield* new WhisperLimited({ limit: whispersAMinute, used: whispersAMinute, resets_at })
          }
          // Before the agent gets it, so that no instruction is without an entry.
          yield* Effect.orDie(AuditTrail.write())
          whisper({ text, by })
          return call
        }),
      }
    }),
  )
}
