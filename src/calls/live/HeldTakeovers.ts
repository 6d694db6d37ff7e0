/** The take-overs of calls that this process conducts: one at a time for each call. */
import { Clock, Effect, type Scope } from "effect"
import { Node } from "../../cluster/Node.ts"
import { bounded } from "../../conversation/Bounded.ts"
import type { VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallId } from "../../domain/Call.ts"
import type { Line } from "../../telephony/Telephony.ts"
import * as TakeoverRows from "../ledger/TakeoverRows.ts"
import { type AnsweredCall, refuse } from "./CallHere.ts"
import { InAccount } from "./InAccount.ts"
import { hold as holdTalk, type SupervisorPage, type TakenLine, Takeover } from "./Takeover.ts"

/** The time limit for writing the end of a take-over. */
const closesWithin = "5 seconds"

/** What a page's socket can do with the call. */
export interface JoinedTakeover {
  /** Takes a frame of the microphone; false if it is not one. */
  readonly hear: (frame: Uint8Array) => boolean
  readonly handBack: () => void
}

/** The take-overs run in the scope in which this is made. */
export const make = Effect.gen(function* () {
  const { id: self } = yield* Node
  const inAccount = yield* InAccount
  const scope = yield* Effect.scope
  const takeovers = new Map<CallId, Takeover>()

  /** Forgets take-overs that have ended, and those whose token expired before `now`. */
  const forgetExpired = (now: number) => {
    for (const [id, takeover] of takeovers) if (takeover.isExpired(now)) takeovers.delete(id)
  }
  const forgetEnded = Effect.sync(() => forgetExpired(0))
  const run = (takeover: Takeover) => Effect.ensuring(hold(takeover, inAccount(takeover.call.tenant)), forgetEnded)

  return {
    /**
     * Issues a token: a secret and this process's node, so that a socket of any process finds it. Its holder loses the
     * right to talk when `lapsed` fails.
     */
    issue: Effect.fnUntraced(function* (
      { id, line, record, tenant }: AnsweredCall,
      by: VersionAuthor,
      lapsed: Effect.Effect<never, unknown>,
    ) {
      if (!isTakeable(line)) return yield* refuse(hasNoSound)
      const now = yield* Clock.currentTimeMillis
      forgetExpired(now)
      const before = takeovers.get(id)
      if (before !== undefined && !isSame(before.call.by, by)) {
        return yield* refuse(`${nameOf(before.call.by)} has taken the call over.`)
      }
      if (record.takeOver === null) return yield* refuse("The talk is ending.")
      const takeover = before ?? new Takeover({ id, tenant, record, line, by })
      takeovers.set(id, takeover)
      return { takeover, token: `${takeover.issue(now, lapsed)}.${self}` }
    }),
    /** Finds the take-over by the secret of its token. Undefined if that is unknown or expired. */
    find: (secret: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        forgetExpired(now)
        return [...takeovers.values()].find(({ token }) => token === secret)
      }),
    /** Connects a page until the scope closes. */
    join: Effect.fnUntraced(function* (
      takeover: Takeover,
      page: SupervisorPage,
    ): Effect.fn.Return<JoinedTakeover, never, Scope.Scope> {
      yield* Effect.acquireRelease(
        Effect.sync(() => takeover.join(page)),
        (part) => Effect.sync(part),
      )
      if (takeover.stage === "expected") {
        takeover.stage = "begun"
        yield* Effect.forkIn(run(takeover), scope)
      }
      return {
        hear: (frame) => takeover.sound.wire.hear(frame),
        handBack: () => takeover.leave("handed_back"),
      }
    }),
  }
})

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
