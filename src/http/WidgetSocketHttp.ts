/**
 * The widget's socket: a visitor in conversation with the key's agent (docs/widget.md). The session's token comes in
 * the first message, since addresses are logged on the way; nothing is done before it.
 */
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Clock, Effect, Layer, Option, Queue, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { Socket } from "effect/socket"
import { Chats, type LiveChat, type Loudspeaker, type Page } from "../calls/visitors/Chats.ts"
import { CapReached } from "../domain/Cap.ts"
import { isOrigin } from "../domain/WidgetKey.ts"
import { FromVisitor, type FromServer, Hello } from "../domain/WidgetMessage.ts"
import { whileStanding } from "../identity/Standing.ts"
import { type WidgetSession, WidgetSessions } from "../identity/WidgetSessions.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { Api } from "./Api.ts"
import { ClientAddress } from "./edge/ClientAddress.ts"
import { OpenStreams, refuseStream, TooManyStreams } from "./edge/OpenStreams.ts"
import { typeOf } from "./edge/Problem.ts"
import * as RefusalProblems from "./edge/RefusalProblems.ts"
import { VisitorLimit, VisitorLimited } from "./edge/VisitorLimit.ts"

export const path = "/api/v1/widget/ws"

/** A page says who it is at once. */
const helloWithin = "10 seconds"
/** The widget sends a ping every 20 seconds. */
const longestSilence = "60 seconds"
/** Messages that a page may send at once: more than a person types, pings included. */
const burst = 20
const messagesASecond = 4
/** Frames at once: fifty a second, and those that a bad network has delayed. */
const frameBurst = 250
const framesASecond = 60
/** Frames of ours that the socket has not taken: more are not sent before it has. */
const mostFramesUntaken = 25
/** Bytes of one message: the longest text in the longest encoding, and the JSON around it. */
const longestMessage = 32 * 1024
/** Messages that a page has not taken yet; it may reconnect for the rest. */
const mostUntaken = 256

/** RFC 6455, 7.4.1. */
const closing = { done: 1000, policy: 1008, tooBig: 1009, unavailable: 1013 } as const

const decodeHello = Schema.decodeUnknownOption(Schema.fromJsonString(Hello))
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(FromVisitor))

/** Where the socket was opened: the page's origin, and the visitor's address. */
interface Place {
  readonly origin: Option.Option<string>
  readonly address: string | undefined
  /** Gives back the place that the socket takes of its address until the visitor's token is proved. */
  readonly leaveAddress: () => void
}

/** Why the socket is closed, and its last message. */
class Over {
  readonly code: number
  readonly message: FromServer | undefined
  constructor(code: number, message?: FromServer) {
    this.code = code
    this.message = message
  }
}

const refuse = (code: string, detail: string, status: number = closing.policy) =>
  new Over(status, { type: "refused", code, detail })

const problem = (status: number, code: string, title: string, detail: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: typeOf(code), title, status, code, detail },
    { status, contentType: ProblemDetails.contentType, headers },
  )

/** Counts against a rate of so many a second and so many at once; false if it is exceeded. */
const makeAllowance = (most: number, aSecond: number, began: number) => {
  let left = most
  let countedAt = began
  return (now: number) => {
    left = Math.min(most, left + ((now - countedAt) / 1_000) * aSecond) - 1
    countedAt = now
    return left >= 0
  }
}

/**
 * The page's messages, no faster than allowed. Frames between them go to `hear`, which returns the reason when it
 * refuses one.
 */
const makeIntake = Effect.fnUntraced(function* (reader: Socket.Reader) {
  let waiting: ReadonlyArray<string | Uint8Array> = []
  const began = yield* Clock.currentTimeMillis
  const mayWrite = makeAllowance(burst, messagesASecond, began)
  const maySound = makeAllowance(frameBurst, framesASecond, began)
  const tooFast = Effect.fail(refuse("rate_limited", "That was more than four messages a second, or sixty frames."))
  return Effect.fnUntraced(function* (hear: (frame: Uint8Array) => Over | undefined) {
    while (true) {
      if (waiting.length === 0) waiting = yield* Effect.mapError(reader.pull, () => new Over(closing.done))
      const [first, ...rest] = waiting
      waiting = rest
      const now = yield* Clock.currentTimeMillis
      if (!(typeof first === "string" ? mayWrite : maySound)(now)) return yield* tooFast
      if (first instanceof Uint8Array) {
        const over = hear(first)
        if (over !== undefined) return yield* Effect.fail(over)
        continue
      }
      if (first === undefined) continue
      if (Buffer.byteLength(first) > longestMessage) {
        return yield* Effect.fail(refuse("body_too_large", "The message is too long.", closing.tooBig))
      }
      return first
    }
  })
})

type Intake = Effect.Success<ReturnType<typeof makeIntake>>

const noSound = () => refuse("invalid_message", "A message is text; sound is for conversations by voice.")

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const sessions = yield* WidgetSessions
    const chats = yield* Chats
    const tenants = yield* TenantDatabases
    const problemOf = RefusalProblems.make(Api)
    const clientAddress = yield* ClientAddress
    const limit = yield* VisitorLimit
    const { openForAddress, openForVisitor } = yield* OpenStreams

    const refusalOf = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
      const { code, detail } = yield* problemOf(cause)
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      const now = yield* Clock.currentTimeMillis
      const isCounted = error instanceof CapReached || error instanceof VisitorLimited
      const wait = isCounted
        ? { retry_after_seconds: Math.max(1, Math.ceil((error.resets_at.getTime() - now) / 1_000)) }
        : {}
      const message: FromServer = { type: "refused", code, detail: detail ?? "", ...wait }
      const isTemporary = isCounted || error instanceof TooManyStreams
      return new Over(isTemporary ? closing.unavailable : closing.policy, message)
    })

    const begin = Effect.fnUntraced(function* (
      { account, agent_id, greeting, id, user, variables }: WidgetSession,
      mode: "chat" | "voice",
    ) {
      const told = user === null ? variables : { ...variables, user }
      return yield* chats
        .begin({ account, session: id, agent_id, greeting, variables: told, mode })
        .pipe(Effect.provideContext(yield* tenants.open(account)))
    }, Effect.scoped)

    /** Verifies the session and opens or resumes its conversation. */
    const open = Effect.fnUntraced(function* (text: string, { address, leaveAddress, origin }: Place) {
      const hello = decodeHello(text)
      if (Option.isNone(hello)) {
        return yield* Effect.fail(
          refuse("invalid_message", "The first message is the hello, with the session's token."),
        )
      }
      const { after = 0, mode = "chat", resume, token } = hello.value
      const failWithRefusal = (cause: Cause.Cause<unknown>) => Effect.flatMap(refusalOf(cause), Effect.fail)
      const session = yield* Effect.catchCause(sessions.open(token, origin), failWithRefusal)
      const taken = openForVisitor(session.account.account.slug)
      // A conversation that goes on is not refused for good: its page tries again, until the socket that it lost is closed.
      const full = (cause: Cause.Cause<unknown>) =>
        resume === undefined ? failWithRefusal(cause) : Effect.fail(new Over(closing.unavailable))
      yield* Effect.catchCause(taken, full)
      leaveAddress()
      if (resume === undefined) {
        if (mode === "voice" && chats.sound === null) {
          return yield* Effect.fail(refuse("voice_unavailable", "No recogniser and voice are connected here."))
        }
        const within = limit.beginConversation(session.key, address)
        const live = yield* Effect.catchCause(Effect.andThen(within, begin(session, mode)), failWithRefusal)
        return { session, live, after: 0, resumed: false }
      }
      const live = chats.resume(session.account, resume)
      if (live === undefined)
        return yield* Effect.fail(new Over(closing.done, { type: "ended", reason: "interrupted" }))
      return { session, live, after, resumed: true }
    })

    /** From the hello to the end, which it reports as a failure. */
    const converse = Effect.fnUntraced(function* (next: Intake, say: Page, loudspeaker: Loudspeaker, place: Place) {
      const first = yield* next(noSound).pipe(
        Effect.timeoutOrElse({
          duration: helloWithin,
          orElse: () => Effect.fail(refuse("invalid_message", "Nobody said hello.")),
        }),
      )
      const { after, live, resumed, session } = yield* open(first, place)
      const { chat, id, sound } = live
      say({
        type: "ready",
        conversation: id,
        resume: chat.resume,
        resumed,
        features: { voice: chats.sound !== null },
        ...(sound === null || chats.sound === null ? {} : { sound: chats.sound }),
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          chat.join(say, after)
          sound?.join(loudspeaker)
        }),
        () =>
          Effect.sync(() => {
            sound?.part(loudspeaker)
            chat.part(say)
          }),
      )
      const hear = (frame: Uint8Array) =>
        sound === null
          ? noSound()
          : sound.hear(frame)
            ? undefined
            : refuse("invalid_frame", "A frame has a number of 4 bytes and 640 bytes of samples.")
      const listen = Effect.gen(function* () {
        while (true) {
          const text = yield* next(hear).pipe(
            Effect.timeoutOrElse({ duration: longestSilence, orElse: () => Effect.fail(new Over(closing.done)) }),
          )
          yield* takeMessage(live, text, say, limit.sendMessage(session.key, place.address))
        }
      })
      return yield* Effect.raceFirst(listen, awaitLapse(session, chat, place.origin))
    })

    /** The conversation ends with the key, or the account, that it was begun with. */
    const awaitLapse = (session: WidgetSession, chat: LiveChat["chat"], origin: Option.Option<string>) =>
      whileStanding(Effect.as(sessions.check(session, origin), null), null).pipe(
        Effect.tapCause(() => Effect.sync(() => chat.leave("hung_up"))),
        Effect.catchCause((cause) => Effect.flatMap(refusalOf(cause), Effect.fail)),
      )

    /** `allowed` takes one message of the visitor's limit. */
    const takeMessage = (
      { chat }: LiveChat,
      text: string,
      say: Page,
      allowed: Effect.Effect<void, VisitorLimited>,
    ): Effect.Effect<void, Over> => {
      const message = decode(text)
      if (Option.isNone(message)) return Effect.fail(refuse("invalid_message", "That is no message of the widget's."))
      const { value } = message
      if (value.type === "hello") return Effect.fail(refuse("invalid_message", "There is one hello."))
      if (value.type === "text") {
        return Effect.andThen(
          Effect.catchCause(allowed, (cause) => Effect.flatMap(refusalOf(cause), Effect.fail)),
          Effect.sync(() => chat.write(value.id, value.text)),
        )
      }
      return Effect.sync(() => {
        if (value.type === "ping") say({ type: "pong" })
        else chat.leave("hung_up")
      })
    }

    const serve = Effect.fnUntraced(function* (socket: Socket.Socket, place: Place) {
      const reader = yield* socket.reader
      const writer = yield* socket.writer
      const out = yield* Queue.dropping<FromServer | Uint8Array>(mostUntaken)
      const say: Page = (message) => void Queue.offerUnsafe(out, message)
      let framesUntaken = 0
      const loudspeaker: Loudspeaker = (frame) => {
        if (framesUntaken >= mostFramesUntaken || !Queue.offerUnsafe(out, frame)) return false
        framesUntaken++
        return true
      }
      /** Sends all messages in order; the last one of a conversation closes the socket. */
      const mouth = Effect.gen(function* () {
        while (true) {
          const message = yield* Queue.take(out)
          if (message instanceof Uint8Array) {
            yield* Effect.mapError(writer.write(message), () => new Over(closing.done))
            framesUntaken--
            continue
          }
          yield* Effect.mapError(writer.write(JSON.stringify(message)), () => new Over(closing.done))
          if (message.type === "ended") return yield* Effect.fail(new Over(closing.done))
          if (message.type === "refused") return yield* Effect.fail(new Over(closing.policy))
        }
      })
      const over = yield* Effect.raceFirst(converse(yield* makeIntake(reader), say, loudspeaker, place), mouth).pipe(
        Effect.scoped,
        Effect.flip,
      )
      if (over.message !== undefined) yield* Effect.ignore(writer.write(JSON.stringify(over.message)))
      yield* Effect.ignore(writer.write(new Socket.CloseEvent(over.code)))
    }, Effect.scoped)

    const handle = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const incoming = NodeHttpServerRequest.toIncomingMessage(request)
      const { headers } = incoming
      const address = clientAddress.of(incoming)
      if (headers.upgrade?.toLowerCase() !== "websocket") {
        const detail = "This address speaks WebSocket. Connect with one, from the ws_url of a session."
        return problem(426, "invalid_request", "Invalid request", detail, { upgrade: "websocket" })
      }
      const origin = Option.fromNullishOr(headers.origin)
      // An opaque origin belongs to no page. The key decides which pages may, once it is known.
      if (Option.isSome(origin) && !isOrigin(origin.value)) {
        return problem(403, "origin_forbidden", "Origin forbidden", "This origin is none that a key can list.")
      }
      const leaveAddress = yield* openForAddress(address)
      const socket = yield* Effect.orDie(request.upgrade)
      yield* Effect.ignore(serve(socket, { origin, address, leaveAddress }))
      return HttpServerResponse.empty()
    }).pipe(Effect.scoped, Effect.catchTag("TooManyStreams", refuseStream))
    return HttpRouter.add("GET", path, handle)
  }),
)
