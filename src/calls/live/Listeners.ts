/**
 * Lets members of an account listen to its live calls. Only the process that conducts a call has its sound. Each
 * listener gets a row before it hears anything.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { bounded } from "../../conversation/Bounded.ts"
import { authorOf, type VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import type { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import { InvalidState, type NotFound } from "../../domain/Refusals.ts"
import { ofListener, pausing, StereoBuffer } from "../../recording/StereoBuffer.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as ListenerRows from "../ledger/ListenerRows.ts"
import { findAnswered } from "./CallHere.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** The most listeners of one call. Each copies every frame. */
const mostListeners = 10
/** The time limit for writing the end of a listener. */
const closesWithin = "5 seconds"

/** The sound of a live call, as one listener hears it. */
export interface LiveSound {
  /** Samples a second of each side. */
  readonly rate: number
  /**
   * Takes both sides' sound since the previous `take`: interleaved 16-bit samples, the other party left and the agent
   * right. Null if there is nothing yet. Sound that is not taken within a second is lost.
   */
  readonly take: () => Uint8Array<ArrayBuffer> | null
  /** Whether the talk has ended. */
  readonly isOver: () => boolean
}

type OfRequest = SqlClient.SqlClient | CurrentTenant | CurrentPrincipal

export class Listeners extends Context.Service<
  Listeners,
  {
    /** Listens until the scope closes. */
    readonly listen: (
      id: string,
    ) => Effect.Effect<LiveSound, NotFound | InvalidState | CallElsewhere, OfRequest | Scope.Scope>
  }
>()("calls/live/Listeners") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const places = new Places()

      /** Writes and logs that the current principal listens, and when the scope closes, that it stopped. */
      const keepRecord = Effect.fnUntraced(function* (id: CallId) {
        const tenant = yield* CurrentTenant
        const listener = authorOf(yield* CurrentPrincipal)
        const annotate = Effect.annotateLogs({
          account: tenant.account.slug,
          call: id,
          listener: listener.type === "person" ? listener.subject : `api key ${listener.id}`,
        })
        yield* Effect.acquireRelease(
          Effect.tap(beginListening(id, listener), annotate(Effect.logInfo("listening to a call began"))),
          (row) =>
            inAccount(tenant)(ListenerRows.end(row)).pipe(
              bounded(closesWithin, "writing the end of a listener"),
              Effect.andThen(Effect.logInfo("listening to a call ended")),
              annotate,
            ),
        )
      })

      return {
        listen: Effect.fn("Calls.listen")(function* (id: string) {
          const { call, line, record, refuse } = yield* findAnswered(live, id)
          const { sound } = line
          if (sound === null) return yield* refuse(hasNoSound)
          yield* places.take(call.id)
          yield* keepRecord(call.id)
          const buffer = new StereoBuffer(sound.rates, ofListener)
          // Listeners must not hear what must not be recorded.
          const isSilent = () => record.is_private || record.recording?.isPaused === true
          yield* Effect.acquireRelease(
            Effect.sync(() => sound.tap(pausing(buffer, isSilent))),
            (detach) => Effect.sync(detach),
          )
          return {
            rate: buffer.rate,
            take: () => buffer.take(false)?.bytes ?? null,
            isOver: () => record.line !== line,
          }
        }),
      }
    }),
  )
}

const beginListening = (id: CallId, listener: VersionAuthor) =>
  Effect.orDie(transaction(Effect.tap(ListenerRows.begin(id, listener), AuditTrail.write())))

const hasNoSound =
  "The sound of this call does not pass through Parley: it is a call in the lab, in writing, or over Twilio's own voice."

/** Counts the listeners of each call and limits them. */
class Places {
  readonly #countOf = new Map<CallId, number>()

  /** Takes a place at the call until the scope closes. Fails if the call has the most listeners already. */
  take(id: CallId) {
    return Effect.acquireRelease(
      Effect.suspend(() => this.#take(id)),
      () => Effect.sync(() => this.#release(id)),
    )
  }

  #take(id: CallId): Effect.Effect<void, InvalidState> {
    const used = this.#countOf.get(id) ?? 0
    if (used >= mostListeners) {
      const detail = `${used} others listen to this call, which is the maximum.`
      return Effect.fail(new InvalidState({ state: "in_progress", detail }))
    }
    this.#countOf.set(id, used + 1)
    return Effect.void
  }

  #release(id: CallId): void {
    const left = (this.#countOf.get(id) ?? 1) - 1
    if (left === 0) this.#countOf.delete(id)
    else this.#countOf.set(id, left)
  }
}
