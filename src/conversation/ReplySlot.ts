/** One question to the brain. Its words become events no faster than they are heard. */
import { Cause, Clock, Effect, Exit, type Semaphore, Stream } from "effect"
import { Brain, type TurnInput, type Word } from "../brain/Brain.ts"
import { pieces } from "../brain/Pieces.ts"
import type { TalkEvent } from "./TalkEvent.ts"

export interface Question {
  readonly reply: number
  readonly step: number
  readonly turn: TurnInput
  /** One permit for each piece that may be unheard. */
  readonly room: Semaphore.Semaphore
  readonly post: (event: TalkEvent) => void
}

/** Always ends with `StepEnded` or `StepFailed`; interrupting it stops the brain's work. */
export const think = Effect.fnUntraced(function* ({ post, reply, room, step, turn }: Question) {
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  let waited = 0
  const thinkingMs = () => clock.currentTimeMillisUnsafe() - began - waited
  const say = Effect.fnUntraced(function* (text: string) {
    const asked = clock.currentTimeMillisUnsafe()
    yield* room.take(1)
    waited += clock.currentTimeMillisUnsafe() - asked
    post({ _tag: "Said", reply, step, text, after_ms: thinkingMs() })
  })
  const hear = (word: Word): Effect.Effect<void> => {
    switch (word._tag) {
      case "Say":
        return Effect.forEach(pieces(word.text), say, { discard: true })
      case "ToolCall":
        return Effect.sync(() => post({ _tag: "Called", reply, step, call: word.call }))
      case "Usage":
        return Effect.sync(() => post({ _tag: "Used", reply, step, usage: word.usage }))
      case "Farewell":
        return Effect.sync(() => post({ _tag: "Farewell", reply, step }))
    }
  }
  // A brain may throw before it returns a stream.
  const words = Stream.unwrap(Brain.use((brain) => Effect.sync(() => brain.reply(turn))))
  const exit = yield* Effect.exit(Stream.runForEach(words, hear))
  if (Exit.isSuccess(exit)) return post({ _tag: "StepEnded", reply, step, thought_ms: thinkingMs() })
  if (!Cause.hasInterruptsOnly(exit.cause)) yield* Effect.logWarning("brain failed", exit.cause)
  post({ _tag: "StepFailed", reply, step, thought_ms: thinkingMs() })
})
