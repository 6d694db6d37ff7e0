/** The first message of a widget's socket: verifies the session, and begins or resumes its conversation. */
import { Cause, Effect, Option, Schema } from "effect"
import { Chats, GivingUp, type LiveChat } from "../../calls/visitors/Chats.ts"
import * as WidgetMessage from "../../domain/WidgetMessage.ts"
import { type WidgetSession, WidgetSessions } from "../../identity/WidgetSessions.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { OpenStreams } from "../edge/OpenStreams.ts"
import { VisitorLimit, VisitorLimited } from "../edge/VisitorLimit.ts"
import { closing, type Refuse, refuse, SocketEnd } from "../page/SocketEnd.ts"

/** How long the server waits for the hello, which a page sends at once. */
export const helloWithin = "10 seconds"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(WidgetMessage.Hello))

/** Where the socket was opened: the page's origin, and the visitor's address. */
export interface Place {
  readonly origin: Option.Option<string>
  readonly address: string | undefined
  /** Releases the socket's place in the limit of its address. Called when the visitor's token is proved. */
  readonly leaveAddress: () => void
}

export interface Opened {
  readonly session: WidgetSession
  readonly live: LiveChat
  /** The last line that the page has seen. */
  readonly after: number
  readonly resumed: boolean
}

/** No hello came in time, or a different message came first. */
export const notHello = () =>
  refuse(
    "invalid_message",
    `The first message must be {"type":"hello","token":…} with the token of a session, and must come within ${helloWithin} of connecting.`,
  )

/** Returns the functions that begin and resume a session's conversation in its account, or end the socket. */
const makeConversations = Effect.fnUntraced(function* (failWith: Refuse) {
  const chats = yield* Chats
  const limit = yield* VisitorLimit
  const tenants = yield* TenantDatabases

  const beginIn = Effect.fnUntraced(function* (
    { account, agent_id, greeting, id, user, variables }: WidgetSession,
    mode: "chat" | "voice",
  ) {
    const told = user === null ? variables : { ...variables, user }
    return yield* chats
      .begin({ account, session: id, agent_id, greeting, variables: told, mode })
      .pipe(Effect.provideContext(yield* tenants.open(account)))
  }, Effect.scoped)

  const resumeIn = Effect.fnUntraced(function* (
    { account, key }: WidgetSession,
    secret: string,
    address: string | undefined,
  ) {
    // Counts as a message: without a limit, a page that goes back and forth between two processes could let the model
    // answer its last message each time.
    const permit = limit.sendMessage(key, address)
    return yield* chats.resume(account, secret, permit).pipe(Effect.provideContext(yield* tenants.open(account)))
  }, Effect.scoped)

  /** A conversation that cannot be resumed now is not refused for good: its page tries again. */
  const failForNow = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    const isLimited = Option.getOrUndefined(Cause.findErrorOption(cause)) instanceof VisitorLimited
    if (!isLimited) yield* Effect.logWarning("a conversation could not be resumed", cause)
    return yield* Effect.fail(new SocketEnd(closing.unavailable))
  })

  return {
    isSilent: chats.sound === null,
    begin: (session: WidgetSession, mode: "chat" | "voice", address: string | undefined) =>
      Effect.andThen(limit.beginConversation(session.key, address), beginIn(session, mode)).pipe(elsewhereOr(failWith)),
    resume: (session: WidgetSession, secret: string, address: string | undefined) =>
      resumeIn(session, secret, address).pipe(elsewhereOr(failForNow)),
  }
})

/** Sends the page to another process if this one shuts down. Other causes end the socket by `otherwise`. */
const elsewhereOr =
  (otherwise: (cause: Cause.Cause<unknown>) => Effect.Effect<never, SocketEnd>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.catchCause(effect, (cause) =>
      Option.getOrUndefined(Cause.findErrorOption(cause)) instanceof GivingUp
        ? Effect.fail(new SocketEnd(closing.restarting))
        : otherwise(cause),
    )

/** Returns the function that answers the hello. */
export const make = Effect.fnUntraced(function* (failWith: Refuse) {
  const conversations = yield* makeConversations(failWith)
  const { openForVisitor } = yield* OpenStreams
  const sessions = yield* WidgetSessions

  return Effect.fnUntraced(function* (text: string, { address, leaveAddress, origin }: Place) {
    const hello = decode(text)
    if (Option.isNone(hello)) return yield* Effect.fail(notHello())
    const { after = 0, mode = "chat", resume, token } = hello.value
    const session = yield* Effect.catchCause(sessions.open(token, origin), failWith)
    const taken = openForVisitor(session.account.account.slug)
    // A conversation in progress is not refused for good: its page retries until its lost socket is closed.
    const full = (cause: Cause.Cause<unknown>) =>
      resume === undefined ? failWith(cause) : Effect.fail(new SocketEnd(closing.unavailable))
    yield* Effect.catchCause(taken, full)
    leaveAddress()
    if (resume === undefined) {
      if (mode === "voice" && conversations.isSilent) {
        return yield* Effect.fail(
          refuse("voice_unavailable", "This installation has no speech, so the conversation cannot be by voice."),
        )
      }
      const live = yield* conversations.begin(session, mode, address)
      const opened: Opened = { session, live, after: 0, resumed: false }
      return opened
    }
    const live = yield* conversations.resume(session, resume, address)
    if (live === undefined)
      return yield* Effect.fail(new SocketEnd(closing.done, { type: "ended", reason: "interrupted" }))
    const opened: Opened = { session, live, after, resumed: true }
    return opened
  })
})
