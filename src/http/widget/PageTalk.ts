/** A page's conversation over one socket, from the hello to the end. */
import { Effect, Option, Schema } from "effect"
import { Chats, type LiveChat, type Loudspeaker, type Page } from "../../calls/visitors/Chats.ts"
import { FromVisitor } from "../../domain/WidgetMessage.ts"
import { whileStanding } from "../../identity/Standing.ts"
import { type WidgetSession, WidgetSessions } from "../../identity/WidgetSessions.ts"
import { VisitorLimit } from "../edge/VisitorLimit.ts"
import * as Hello from "./Hello.ts"
import type { Intake } from "../page/Intake.ts"
import { closing, makeRefuse, refuse, SocketEnd } from "../page/SocketEnd.ts"

/** The widget sends a ping every 20 seconds. */
const longestSilence = "60 seconds"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(FromVisitor))

/** Returns the function that converses until the end, which it reports as a failure. */
export const make = Effect.gen(function* () {
  const chats = yield* Chats
  const failWith = makeRefuse()
  const limit = yield* VisitorLimit
  const open = yield* Hello.make(failWith)
  const sessions = yield* WidgetSessions

  /** Ends the conversation when the key or the account that it began with is no longer valid. */
  const awaitLapse = (session: WidgetSession, chat: LiveChat["chat"], origin: Option.Option<string>) =>
    whileStanding(Effect.as(sessions.check(session, origin), null), null).pipe(
      Effect.tapCause(() => Effect.sync(() => chat.leave("hung_up"))),
      Effect.catchCause(failWith),
    )

  return Effect.fnUntraced(function* (next: Intake, say: Page, loudspeaker: Loudspeaker, place: Hello.Place) {
    const first = yield* next(refuseSound).pipe(
      Effect.timeoutOrElse({ duration: Hello.helloWithin, orElse: () => Effect.fail(Hello.notHello()) }),
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
    const allowed = Effect.catchCause(limit.sendMessage(session.key, place.address), failWith)
    const listen = Effect.gen(function* () {
      while (true) {
        const text = yield* next((frame) => hear(live, frame)).pipe(
          Effect.timeoutOrElse({ duration: longestSilence, orElse: () => Effect.fail(new SocketEnd(closing.done)) }),
        )
        yield* takeMessage(live, text, say, allowed)
      }
    })
    const moved = Effect.andThen(live.moved, Effect.fail(new SocketEnd(closing.restarting)))
    return yield* Effect.raceAllFirst([listen, moved, awaitLapse(session, chat, place.origin)])
  })
})

const refuseSound = () =>
  refuse("invalid_message", "Messages must be text. Sound is accepted only in conversations by voice.")

/** Takes a frame of sound, or returns the reason why not. */
const hear = ({ sound }: LiveChat, frame: Uint8Array): SocketEnd | undefined => {
  if (sound === null) return refuseSound()
  if (sound.hear(frame)) return undefined
  return refuse("invalid_frame", "A frame must have a number of 4 bytes and 640 bytes of samples.")
}

/** `allowed` counts one message against the visitor's limit. */
const takeMessage = (
  { chat }: LiveChat,
  text: string,
  say: Page,
  allowed: Effect.Effect<void, SocketEnd>,
): Effect.Effect<void, SocketEnd> => {
  const message = decode(text)
  if (Option.isNone(message)) {
    return Effect.fail(refuse("invalid_message", "After the hello, a message must be a text, a ping or an end."))
  }
  const { value } = message
  if (value.type === "hello") {
    return Effect.fail(refuse("invalid_message", "Send the hello once, as the first message of the socket."))
  }
  if (value.type === "text") {
    return Effect.andThen(
      allowed,
      Effect.sync(() => chat.write(value.id, value.text)),
    )
  }
  return Effect.sync(() => {
    if (value.type === "ping") say({ type: "pong" })
    else chat.leave("hung_up")
  })
}
