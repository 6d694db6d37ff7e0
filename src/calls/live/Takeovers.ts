/**
 * Lets supervisors talk on live calls in the agent's place. Only the process that conducts a call has its sound, and
 * one supervisor at a time can talk on it.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { bounded } from "../../conversation/Bounded.ts"
import { authorOf, type VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import type { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import type { InvalidState, NotFound } from "../../domain/Refusals.ts"
import { socketPath, type TakeoverTicket, ticketSeconds } from "../../domain/Takeover.ts"
import { Standing } from "../../identity/Standing.ts"
import type { Line } from "../../telephony/Telephony.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as TakeoverRows from "../ledger/TakeoverRows.ts"
import { findAnswered } from "./CallHere.ts"
import { InAccount } from "./InAccount.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { hold as holdTalk, type SupervisorPage, type TakenLine, Takeover } from "./Takeover.ts"

/** The time limit for writing the end of a take-over. */
const closesWithin = "5 seconds"

/** What a page's socket can do with the call. */
export interface JoinedTakeover {
  /** Takes a frame of the microphone; false if it is not one. */
  readonly hear: (frame: Uint8Array) => boolean
  readonly handBack: () => void
}

export type JoinTakeover = <E>(
  token: string,
  page: SupervisorPage,
  admit: (account: string) => Effect.Effect<unknown, E, Scope.Scope>,
) => Effect.Effect<JoinedTakeover | null, E, Scope.Scope>

export class Takeovers extends Context.Service<
  Takeovers,
  {
    /** Gives the current principal a token, with which a socket can take over a call of this process. */
    readonly begin: (
      id: string,
    ) => Effect.Effect<
      TakeoverTicket,
      NotFound | InvalidState | CallElsewhere,
      SqlClient.SqlClient | CurrentTenant | CurrentPrincipal
    >
    /**
     * Connects a page until the scope closes. Fails if `admit` does. Null: the token is unknown to this process, or
     * expired.
     */
    readonly join: JoinTakeover
  }
>()("calls/live/Takeovers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const scope = yield* Effect.scope
      const takeovers = new Map<CallId, Takeover>()

      /** Forgets take-overs that have ended, and those whose token expired before `now`. */
      const forgetExpired = (now: number) => {
        for (const [id, takeover] of takeovers) if (takeover.isExpired(now)) takeovers.delete(id)
      }
      const forgetEnded = Effect.sync(() => forgetExpired(0))
      const run = (takeover: Takeover) => Effect.ensuring(hold(takeover, inAccount(takeover.call.tenant)), forgetEnded)

      return {
        begin: Effect.fn("Calls.takeOver")(function* (id: string) {
          const { call, line, record, refuse, tenant } = yield* findAnswered(live, id)
          if (!isTakeable(line)) return yield* refuse(hasNoSound)
          const by = authorOf(yield* CurrentPrincipal)
          const now = yield* Clock.currentTimeMillis
          forgetExpired(now)
          const before = takeovers.get(call.id)
          if (before !== undefined && !isSame(before.call.by, by)) {
            return yield* refuse(`${nameOf(before.call.by)} has taken the call over.`)
          }
          if (record.takeOver === null) return yield* refuse("The talk is ending.")
          const takeover = before ?? new Takeover({ id: call.id, tenant, record, line, by })
          takeovers.set(call.id, takeover)
          const ticket: TakeoverTicket = {
            token: takeover.issue(now, yield* Standing),
            expires_in: ticketSeconds,
            ws_path: socketPath,
          }
          return ticket
        }),
        join: Effect.fn("Calls.joinTakeover")(function* (token, page, admit) {
          const now = yield* Clock.currentTimeMillis
          forgetExpired(now)
          const takeover = [...takeovers.values()].find((takeover) => takeover.token === token)
          if (takeover === undefined) return null
          yield* admit(takeover.call.tenant.account.slug)
          yield* Effect.acquireRelease(
            Effect.sync(() => takeover.join(page)),
            (part) => Effect.sync(part),
          )
          if (takeover.stage === "expected") {
            takeover.stage = "begun"
            yield* Effect.forkIn(run(takeover), scope)
          }
          const joined: JoinedTakeover = {
            hear: (frame) => takeover.sound.wire.hear(frame),
            handBack: () => takeover.leave("handed_back"),
          }
          return joined
        }),
      }
    }),
  )
}

/** Runs a take-over with its row, from its first socket until the agent has the call back or the call has ended. */
const hold = (takeover: Takeover, write: InTenant) => {
  const { by, id, tenant } = takeover.call
  const close = (row: string) =>
    Effect.suspend(() => write(takeover.wasRefused ? TakeoverRows.remove(row) : TakeoverRows.end(row))).pipe(
      bounded(closesWithin, "writing the end of a take-over"),
      Effect.andThen(Effect.logInfo("taking a call over ended")),
    )
  return Effect.acquireUseRelease(
    Effect.tap(write(TakeoverRows.begin(id, by)), Effect.logInfo("taking a call over began")),
    () => Effect.scoped(holdTalk(takeover)),
    close,
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.sync(() => takeover.fail()),
        Effect.logError("taking a call over failed", cause),
      ),
    ),
    Effect.annotateLogs({ account: tenant.account.slug, call: id, by: by.type === "person" ? by.subject : by.id }),
  )
}

/** Runs a statement in the call's account. */
type InTenant = ReturnType<InAccount["Service"]>

const isTakeable = (line: Line): line is Line & TakenLine => line.patch !== undefined && line.listen !== undefined

const hasNoSound =
  "The sound of this call does not pass through Parley, so it cannot be taken over: it is a call in the lab, in writing, or over Twilio's own voice. Let the agent transfer it with transfer_call instead."

const nameOf = (by: VersionAuthor): string =>
  by.type === "person" ? (by.email ?? by.subject) : `The API key ${by.name}`

const isSame = (one: VersionAuthor, other: VersionAuthor): boolean =>
  one.type === "person"
    ? other.type === "person" && one.subject === other.subject && one.email === other.email
    : other.type === "api_key" && one.id === other.id
