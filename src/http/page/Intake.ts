/** Takes messages and frames of sound from a page, no faster and no longer than is allowed. */
import { Clock, Effect } from "effect"
import type { Socket } from "effect/socket"
import { closing, refuse, SocketEnd } from "./SocketEnd.ts"

/** Messages that a page may send at once: more than a person types, pings included. */
const burst = 20
const messagesASecond = 4
/** Frames at once: fifty a second, and those that a bad network has delayed. */
const frameBurst = 250
const framesASecond = 60
/** Bytes of one message: the longest text in the longest encoding, and the JSON around it. */
const longestMessage = 32 * 1024

/** Returns the next message. Frames before it go to `hear`, which returns the reason when it refuses one. */
export type Intake = (hear: (frame: Uint8Array) => SocketEnd | undefined) => Effect.Effect<string, SocketEnd>

export const make = Effect.fnUntraced(function* (reader: Socket.Reader) {
  let waiting: ReadonlyArray<string | Uint8Array> = []
  const began = yield* Clock.currentTimeMillis
  const mayWrite = makeAllowance(burst, messagesASecond, began)
  const maySound = makeAllowance(frameBurst, framesASecond, began)
  const tooFast = Effect.fail(
    refuse("rate_limited", "The page sent more than four messages or sixty frames in a second."),
  )
  const intake: Intake = Effect.fnUntraced(function* (hear) {
    while (true) {
      if (waiting.length === 0) waiting = yield* Effect.mapError(reader.pull, () => new SocketEnd(closing.done))
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
  return intake
})

/** Counts one event against a rate per second with a burst. Returns false if the rate is exceeded. */
const makeAllowance = (most: number, aSecond: number, began: number) => {
  let left = most
  let countedAt = began
  return (now: number) => {
    left = Math.min(most, left + ((now - countedAt) / 1_000) * aSecond) - 1
    countedAt = now
    return left >= 0
  }
}
