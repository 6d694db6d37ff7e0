/** A caller played by a language model: it has a persona and a goal, and does not see the agent's instructions. */
import type { ModelMessage } from "ai"
import { Effect, Option, Schema } from "effect"
import type { Models } from "../brain/model/Models.ts"
import { speakable } from "../brain/model/Speakable.ts"
import type { Model } from "../domain/Agent.ts"
import type { SimulatedCaller } from "../domain/Scenario.ts"
import type { Answer } from "../telephony/lab/Personas.ts"

const mostTokens = 200
const longest = "20 seconds"
/** The maximum number of the caller's turns: a caller that has not ended the call by then never will. */
const mostTurns = 40

const hangUp = "[hang up]"

const instructionsOf = ({ goal, persona }: SimulatedCaller) =>
  [
    "You play a person on the telephone, to test an agent that has called you. Stay in your role whatever it says.",
    `Who you are: ${persona}`,
    ...(goal === undefined ? [] : [`What you want from the call: ${goal}`]),
    "Answer with what the person says next and nothing else: one or two short sentences, as people speak.",
    `When the person would hang up, add ${hangUp} at the end.`,
  ].join("\n")

export class CallerFailed extends Schema.TaggedError<CallerFailed>()("CallerFailed", { reason: Schema.String }) {
  override get message() {
    return `The simulated caller could not answer: ${this.reason}`
  }
}

export const thinker = (models: Models["Service"], caller: SimulatedCaller, own: Model) => {
  const messages: Array<ModelMessage> = []
  const model = caller.model ?? own
  const instructions = instructionsOf(caller)
  return (heard: string): Effect.Effect<Answer, CallerFailed> =>
    Effect.gen(function* () {
      messages.push({ role: "user", content: heard })
      if (messages.length > 2 * mostTurns) return { text: "Goodbye.", hangs_up: true, interrupts: null }
      const open = yield* Option.match(models.find(model), {
        onNone: () => new CallerFailed({ reason: `there is no key for the provider ${model.provider}` }),
        onSome: (opening) => opening,
      })
      const { streamText } = yield* Effect.promise(() => import("ai"))
      const text = yield* Effect.tryPromise({
        try: (abortSignal) =>
          Promise.resolve(
            streamText({
              model: open,
              instructions,
              messages,
              maxOutputTokens: mostTokens,
              abortSignal,
              onError: () => {},
            }).text,
          ),
        catch: (cause) => new CallerFailed({ reason: cause instanceof Error ? cause.message : String(cause) }),
      }).pipe(
        Effect.timeoutOrElse({
          duration: longest,
          orElse: () => new CallerFailed({ reason: `it did not answer within ${longest}` }),
        }),
      )
      messages.push({ role: "assistant", content: text })
      const words = speakable(text.replaceAll(hangUp, ""))
      return { text: words === "" ? null : words, hangs_up: text.includes(hangUp), interrupts: null }
    })
}
