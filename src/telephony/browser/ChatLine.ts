/**
 * A conversation in writing as a line. The agent's words appear at once and count as read, so the visitor cannot
 * interrupt them and the agent cannot take them back.
 */
import { Clock, Effect } from "effect"
import { inWriting } from "../Manners.ts"
import type { Line, LineEvent } from "../Telephony.ts"
import type { Chat } from "./Chat.ts"

/** `greets`: the agent speaks first, and messages that arrive earlier wait for its greeting. */
export const make = Effect.fnUntraced(function* (chat: Chat, greets: boolean) {
  const began = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - began)
  let tell: (event: LineEvent) => void = () => {}
  let at = 0

  const utter = (text: string) => {
    chat.think()
    tell({ _tag: "Utterance", text, started_ms: at, ended_ms: at })
  }

  const line: Line = {
    speed: 1,
    manners: inWriting,
    sound: null,
    moment: Effect.map(elapsed, (now) => {
      at = now
      return { at, playing: null }
    }),
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
        at = now
        chat.say(text)
        tell({ _tag: "Played", piece: id, started_ms: now, ended_ms: now })
      }),
    yield: Effect.sync(() => {
      chat.finish()
      chat.open()
    }),
    hold: Effect.void,
    resume: Effect.void,
    cut: Effect.sync(() => chat.finish()),
    sendDigits: () => Effect.void,
    transfer: () => Effect.succeed(false),
  }
  return line
})
