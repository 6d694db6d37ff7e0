/** The first message of a widget's socket: verifies the session, and begins or resumes its conversation. */
import { type Cause, Effect, Option, Schema } from "effect"
import { Chats, type LiveChat } from "../../calls/visitors/Chats.ts"
import * as WidgetMessage from "../../domain/WidgetMessage.ts"
import { type WidgetSession, WidgetSessions } from "../../identity/WidgetSessions.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { OpenStreams } from "../edge/OpenStreams.ts"
import { VisitorLimit } from "../edge/VisitorLimit.ts"
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

/** Returns the function that answers the hello. */
export const make = Effect.fnUntraced(function* (failWith: Refuse) {
  const chats = yield* Chats
  const limit = yield* VisitorLimit
  const { openForVisitor } = yield* OpenStreams
  const sessions = yield* WidgetSessions
  const tenants = yield* TenantDatabases

  const begin = Effect.fnUntraced(function* (
    { account, agent_id, greeting, id, user, variables }: WidgetSession,
    mode: "chat" | "voice",
  ) {
    const told = user === null ? variables : { ...variables, user }
    return yield* chats
      .begin({ account, session: id, agent_id, greeting, variables: told, mode })
      .pipe(Effect.provideContext(yield* tenants.open(account)))
  }, Effect.scoped)

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
      if (mode === "voice" && chats.sound === null) {
        return yield* Effect.fail(
          refuse("voice_unavailable", "This installation has no speech, so the conversation cannot be by voice."),
        )
      }
      const within = limit.beginConversation(session.key, address)
      const live = yield* Effect.catchCause(Effect.andThen(within, begin(session, mode)), failWith)
      const opened: Opened = { session, live, after: 0, resumed: false }
      return opened
    }
    const live = chats.resume(session.account, resume)
    if (live === undefined)
      return yield* Effect.fail(new SocketEnd(closing.done, { type: "ended", reason: "interrupted" }))
    const opened: Opened = { session, live, after, resumed: true }
    return opened
  })
})
