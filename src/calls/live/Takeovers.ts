/**
 * Lets supervisors talk on live calls in the agent's place, one at a time. The process that conducts the call holds the
 * take-over. The process that was asked for it watches that the supervisor keeps the right to it. The process that the
 * page's socket reaches passes messages and sound on. Either may be another process, which then has a link to the
 * conducting one.
 */
import { Clock, Context, Deferred, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { Link } from "../../cluster/Link.ts"
import { Node } from "../../cluster/Node.ts"
import { authorOf, VersionAuthor } from "../../domain/AgentVersion.ts"
import type { CallElsewhere } from "../../domain/CallListener.ts"
import { CurrentPrincipal } from "../../domain/Principal.ts"
import type { InvalidState, NotFound } from "../../domain/Refusals.ts"
import { socketPath, type TakeoverTicket, ticketSeconds } from "../../domain/Takeover.ts"
import type { ToSupervisor } from "../../domain/TakeoverMessage.ts"
import { Standing } from "../../identity/Standing.ts"
import { isFrame } from "../../telephony/browser/SoundWire.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { AskedCall, findHere, findLive, toInvalidState } from "./CallHere.ts"
import * as DistantCalls from "./DistantCalls.ts"
import * as HeldTakeovers from "./HeldTakeovers.ts"
import type { JoinedTakeover } from "./HeldTakeovers.ts"
import { LiveCalls } from "./LiveCalls.ts"
import type { SupervisorPage } from "./Takeover.ts"

export type JoinTakeover = <E>(
  token: string,
  page: SupervisorPage,
  admit: (account: string) => Effect.Effect<unknown, E, Scope.Scope>,
) => Effect.Effect<JoinedTakeover | null, E, Scope.Scope>

const taking: DistantCalls.Question<AskedCall & { readonly by: VersionAuthor }, { readonly token: string }> = {
  kind: "take_over",
  opening: Schema.Struct({ ...AskedCall.fields, by: VersionAuthor }),
  ready: Schema.Struct({ token: Schema.String }),
}
const joining: DistantCalls.Question<{ readonly secret: string }, { readonly account: string }> = {
  kind: "join_takeover",
  opening: Schema.Struct({ secret: Schema.String }),
  ready: Schema.Struct({ account: Schema.String }),
}
const handBack = "hand_back"

/** How often the conducting process checks whether it still needs another process to watch the supervisor's right. */
const checkEvery = "1 second"

export class Takeovers extends Context.Service<
  Takeovers,
  {
    /** Gives the current principal a token, with which a socket of any process can take over the call. */
    readonly begin: (
      id: string,
    ) => Effect.Effect<
      TakeoverTicket,
      NotFound | InvalidState | CallElsewhere,
      SqlClient.SqlClient | CurrentTenant | CurrentPrincipal
    >
    /** Connects a page until the scope closes. Fails if `admit` does. Null: the token is unknown or expired. */
    readonly join: JoinTakeover
  }
>()("calls/live/Takeovers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const live = yield* LiveCalls
      const scope = yield* Effect.scope
      const { id: self } = yield* Node
      const distant = yield* DistantCalls.make
      const held = yield* HeldTakeovers.make
      yield* serve(distant, live, held)

      /** Watches, for as long as the take-over lasts, that the current principal keeps the right to it. */
      const takeElsewhere = Effect.fnUntraced(function* (asked: AskedCall, by: VersionAuthor) {
        const lapsed = yield* Standing
        const watch = yield* Scope.fork(scope)
        const { link, ready } = yield* distant.ask(taking, { ...asked, by }).pipe(
          Scope.provide(watch),
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(watch, exit) : Effect.void)),
        )
        yield* Effect.raceFirst(lapsed, Deferred.await(link.ended)).pipe(
          Effect.ignore,
          Effect.ensuring(Scope.close(watch, Exit.void)),
          Effect.forkIn(scope),
        )
        return ready.token
      })

      return {
        begin: Effect.fn("Calls.takeOver")(function* (id: string) {
          const { asked, call } = yield* findLive(id)
          const by = authorOf(yield* CurrentPrincipal)
          const lapsed = yield* Standing
          const token = yield* findHere(live, asked).pipe(
            Effect.flatMap((found) => held.issue(found, by, lapsed)),
            Effect.map(({ token }) => token),
            Effect.catchTag("CallElsewhere", () => takeElsewhere(asked, by)),
            Effect.mapError((error) => (error._tag === "CallRefusal" ? toInvalidState(call)(error) : error)),
          )
          const ticket: TakeoverTicket = { token, expires_in: ticketSeconds, ws_path: socketPath }
          return ticket
        }),
        join: Effect.fn("Calls.joinTakeover")(function* (token, page, admit) {
          const [secret = "", node = self] = token.split(".")
          if (node === self) {
            const takeover = yield* held.find(secret)
            if (takeover === undefined) return null
            yield* admit(takeover.call.tenant.account.slug)
            return yield* held.join(takeover, page)
          }
          const asked = yield* Effect.option(distant.askNode(joining, node, { secret }))
          if (Option.isNone(asked)) return null
          const { link, ready } = asked.value
          yield* admit(ready.account)
          return yield* joinElsewhere(link, page)
        }),
      }
    }),
  )
}

/** Answers other processes: those that are asked for a take-over, and those that a page's socket reaches. */
const serve = Effect.fnUntraced(function* (
  distant: DistantCalls.DistantCalls,
  live: LiveCalls["Service"],
  held: Effect.Success<typeof HeldTakeovers.make>,
) {
  yield* distant.serve(
    taking,
    Effect.fnUntraced(function* ({ by, ...asked }, link, begin) {
      const lapsed = Deferred.await(link.ended)
      const { takeover, token } = yield* held.issue(yield* findHere(live, asked), by, lapsed)
      // If a newer token was issued, another link watches the right.
      const isNewest = () => takeover.lapsed === lapsed
      const isNeeded = (now: number) => link.end === null && isNewest() && !takeover.isExpired(now)
      // Forked, because `begin` also waits for a text that begins the request, and this request has none.
      yield* Effect.forkScoped(begin({ token }))
      yield* Clock.currentTimeMillis.pipe(Effect.delay(checkEvery), Effect.repeat({ while: isNeeded }))
    }),
  )
  yield* distant.serve(
    joining,
    Effect.fnUntraced(function* ({ secret }, link, begin) {
      const found = yield* held.find(secret)
      // The link closes, and the token counts as unknown.
      if (found === undefined) return
      yield* begin({ account: found.call.tenant.account.slug })
      // The take-over may have ended meanwhile, or have got another token.
      const takeover = yield* held.find(secret)
      if (takeover === undefined) return
      const joined = yield* held.join(takeover, {
        loudspeaker: (frame) => link.pass(frame),
        tell: (message) => link.say(JSON.stringify(message)),
      })
      link.hear(joined.hear)
      while ((yield* link.next) === handBack) joined.handBack()
    }),
  )
})

/** Connects a page to a take-over of another process until the scope closes. */
const joinElsewhere = Effect.fnUntraced(function* (link: Link, { loudspeaker, tell }: SupervisorPage) {
  link.hear(loudspeaker)
  link.say("join")
  const relay = Effect.forever(Effect.map(link.next, (text) => tell(JSON.parse(text) as ToSupervisor)))
  yield* relay.pipe(
    Effect.catch(() => Effect.sync(() => tell(lost))),
    Effect.forkScoped,
  )
  const joined: JoinedTakeover = {
    hear: (frame) => {
      if (!isFrame(frame)) return false
      link.pass(frame)
      return true
    },
    handBack: () => link.say(handBack),
  }
  return joined
})

/** Without effect after the last message of a take-over, which ends the socket. */
const lost: ToSupervisor = {
  type: "refused",
  code: "call_elsewhere",
  detail: "The process that conducts the call has stopped, or can no longer be reached.",
}
