/** Asks the brain in a talk, one question at a time. Its words become events no faster than they are heard. */
import { Cause, Clock, Effect, Exit, Semaphore, Stream } from "effect"
import { Brain, type Briefing, type TurnInput, type Word } from "../brain/Brain.ts"
import { pieces } from "../brain/Pieces.ts"
import type { Workers } from "./Bounded.ts"
import type { Command } from "./Command.ts"
import type { TalkEvent } from "./TalkEvent.ts"

export interface Parts {
  readonly workers: Workers
  readonly briefing: Briefing
  readonly post: (event: TalkEvent) => void
}

export const make = ({ briefing, post, workers }: Parts) => {
  /** One permit for each piece that may be unheard. */
  let room = Semaphore.makeUnsafe(0)
  let asked = 0
  return {
    think: (command: Extract<Command, { readonly _tag: "Think" }>) => {
      const { history, model, must_speak, reply, step, wrap_up } = command
      room = Semaphore.makeUnsafe(command.room)
      asked = reply
      const turn = { briefing, history, must_speak, model, wrap_up }
      return workers.run("brain", think({ reply, step, turn, room, post }))
    },
    stop: workers.stop("brain"),
    /** A piece of this reply was heard. */
    makeRoom: (reply: number) => (reply === asked ? Effect.asVoid(room.release(1)) : Effect.void),
  }
}

interface Question {
  readonly reply: number
  readonly step: number
  readonly turn: TurnInput
  readonly room: Semaphore.Semaphore
  readonly post: (event: TalkEvent) => void
}

/** Always ends with `StepEnded` or `StepFailed`; interrupting it stops the brain's work. */
const think = Effect.fnUntraced(function* ({ post, reply, room, step, turn }: Question) {
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
      case "FirstToken":
        return Effect.sync(() => post({ _tag: "FirstToken", reply, step }))
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
