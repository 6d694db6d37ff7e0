/**
 * A conversation in writing as a line. The agent's words appear at once and count as read, so the visitor cannot
 * interrupt them and the agent cannot take them back.
 */
import { Clock, Effect } from "effect"
import { inWriting } from "../Manners.ts"
import type { Line, LineEvent } from "../Telephony.ts"
import type { Chat } from "./Chat.ts"

/**
 * `greets`: the agent speaks first, and messages that arrive earlier wait for its greeting. `answered_at`: when the
 * conversation began in another process; null if it begins here.
 */
export const make = Effect.fnUntraced(function* (chat: Chat, greets: boolean, answered_at: Date | null) {
  const clock = yield* Clock.Clock
  const began = answered_at?.getTime() ?? clock.currentTimeMillisUnsafe()
  const elapsedNow = () => Math.max(0, clock.currentTimeMillisUnsafe() - began)
  const elapsed = Effect.sync(elapsedNow)
  let tell: (event: LineEvent) => void = () => {}

  const utter = (text: string) => {
    chat.think()
    const at = elapsedNow()
    tell({ _tag: "Utterance", text, started_ms: at, ended_ms: at })
  }

  const line: Line = {
    speed: 1,
    manners: inWriting,
    sound: null,
    moment: Effect.map(elapsed, (at) => ({ at, playing: null })),
    attach: (listener) =>
      Effect.sync(() => {
        tell = listener
        chat.listen({
          wrote: utter,
          left: (how) => tell({ _tag: "Gone", how }),
        })
        if (!greets) chat.open()
      }),
    play: ({ id, text }) =>
      Effect.map(elapsed, (now) => {
        chat.say(text)
        tell({ _tag: "Played", piece: id, started_ms: now, ended_ms: now })
      }),
    yield: Effect.sync(() => {
      chat.rest()
      chat.open()
    }),
    hold: Effect.void,
    resume: Effect.void,
    cut: Effect.sync(() => chat.cut()),
    sendDigits: () => Effect.void,
    transfer: () => Effect.succeed(false),
  }
  return line
})
