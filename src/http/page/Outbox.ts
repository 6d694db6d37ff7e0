/**
 * Sends messages and frames of sound to a page, in order. A page that takes frames too slowly loses the excess. One with
 * too many messages to take gets those that wait, and is then told to connect again for the rest, so that it misses none.
 */
import { Effect, Queue } from "effect"
import type { Socket } from "effect/socket"
import type { Loudspeaker } from "../../calls/visitors/Chats.ts"
import type { ToSupervisor } from "../../domain/TakeoverMessage.ts"
import type { FromServer } from "../../domain/WidgetMessage.ts"
import { closing, SocketEnd } from "./SocketEnd.ts"

/** Messages that a page has not taken yet. */
const mostUntaken = 256
/** The most of our frames that the socket has not taken yet. `loudspeaker` refuses more. */
const mostFramesUntaken = 25

export const make = Effect.fnUntraced(function* (writer: Socket.Writer) {
  const out = yield* Queue.dropping<FromServer | ToSupervisor | Uint8Array>(mostUntaken)
  let isFull = false
  const say = (message: FromServer | ToSupervisor) => {
    isFull ||= !Queue.offerUnsafe(out, message)
  }
  let framesUntaken = 0
  const loudspeaker: Loudspeaker = (frame) => {
    if (framesUntaken >= mostFramesUntaken || !Queue.offerUnsafe(out, frame)) return false
    framesUntaken++
    return true
  }
  /** Sends until the last message of a conversation or a take-over, which ends the socket. */
  const sendAll = Effect.gen(function* () {
    while (true) {
      if (isFull && Queue.sizeUnsafe(out) === 0) return yield* Effect.fail(new SocketEnd(closing.unavailable))
      const message = yield* Queue.take(out)
      if (message instanceof Uint8Array) {
        yield* Effect.mapError(writer.write(message), () => new SocketEnd(closing.done))
        framesUntaken--
        continue
      }
      yield* Effect.mapError(writer.write(JSON.stringify(message)), () => new SocketEnd(closing.done))
      if (message.type === "ended") return yield* Effect.fail(new SocketEnd(closing.done))
      if (message.type === "refused") return yield* Effect.fail(new SocketEnd(closing.policy))
    }
  })
  return { say, loudspeaker, sendAll }
})
