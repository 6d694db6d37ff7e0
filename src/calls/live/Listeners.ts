/**
 * Lets members of an account listen to its live calls. Only the process that conducts a call has its sound; another one
 * gets it over a link. Each listener gets a row before it hears anything.
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { bounded } from "../../conversation/Bounded.ts"
import { authorOf, type VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import type { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import type { InvalidState, NotFound } from "../../domain/Refusals.ts"
import { ofListener, pausing, StereoBuffer } from "../../recording/StereoBuffer.ts"
import * as AuditTrail from "../../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as ListenerRows from "../ledger/ListenerRows.ts"
import {
  type AnsweredCall,
  AskedCall,
  type CallRefusal,
  findHere,
  findLive,
  refuse,
  toInvalidState,
} from "./CallHere.ts"
import * as DistantCalls from "./DistantCalls.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"
import * as LiveSound from "./LiveSound.ts"

/** The most listeners of one call. Each copies every frame. */
const mostListeners = 10
/** The time limit for writing the end of a listener. */
const closesWithin = "5 seconds"

/** A place among the listeners of a call: the listener is counted, but hears nothing before `begin`. */
interface Place {
  /** Begins to listen, until the scope closes. */
  readonly begin: Effect.Effect<LiveSound.LiveSound, never, Scope.Scope>
}

const listening: DistantCalls.Question<AskedCall, { readonly rate: number }> = {
  kind: "listen",
  opening: AskedCall,
  ready: Schema.Struct({ rate: Schema.Int }),
}

type OfRequest = SqlClient.SqlClient | CurrentTenant | CurrentPrincipal

export class Listeners extends Context.Service<
  Listeners,
  {
    /** Listens until the scope closes. */
    readonly listen: (
      id: string,
    ) => Effect.Effect<LiveSound.LiveSound, NotFound | InvalidState | CallElsewhere, OfRequest | Scope.Scope>
  }
>()("calls/live/Listeners") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const places = new Places()
      const distant = yield* DistantCalls.make

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

      const listenHere = listenAt(places)

      const listenElsewhere = (asked: AskedCall) =>
        Effect.map(distant.ask(listening, asked), ({ link, ready: { rate } }): Place => {
          const begin = Effect.sync(() => {
            const sound = LiveSound.receive(rate, link)
            link.say("")
            return sound
          })
          return { begin }
        })

      yield* distant.serve(
        listening,
        Effect.fnUntraced(function* (asked, link, begin) {
          const place = yield* listenHere(yield* findHere(live, asked))
          yield* begin({ rate: place.rate })
          yield* LiveSound.send(yield* place.begin, link)
        }),
      )

      return {
        listen: Effect.fn("Calls.listen")(function* (id: string) {
          const { asked, call } = yield* findLive(id)
          const place: Place = yield* findHere(live, asked).pipe(
            Effect.flatMap(listenHere),
            Effect.catchTag("CallElsewhere", () => listenElsewhere(asked)),
            Effect.mapError((error) => (error._tag === "CallRefusal" ? toInvalidState(call)(error) : error)),
          )
          yield* keepRecord(call.id)
          return yield* place.begin
        }),
      }
    }),
  )
}

/** Takes a place among the listeners of a call of this process. */
const listenAt = (places: Places) =>
  Effect.fnUntraced(function* ({ id, line, record }: AnsweredCall) {
    const { sound } = line
    if (sound === null) return yield* refuse(hasNoSound)
    yield* places.take(id)
    const begin = Effect.gen(function* () {
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
        isLost: () => false,
      }
    })
    return { rate: sound.rates.heard, begin }
  })

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

  #take(id: CallId): Effect.Effect<void, CallRefusal> {
    const used = this.#countOf.get(id) ?? 0
    if (used >= mostListeners) return refuse(`${used} others listen to this call, which is the maximum.`)
    this.#countOf.set(id, used + 1)
    return Effect.void
  }

  #release(id: CallId): void {
    const left = (this.#countOf.get(id) ?? 1) - 1
    if (left === 0) this.#countOf.delete(id)
    else this.#countOf.set(id, left)
  }
}
