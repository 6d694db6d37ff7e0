/** Decides what the agent says next. One port; the language model is one implementation, the scripted brain another. */
import { Context, Schema, type Stream } from "effect"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { Prompt } from "./Prompt.ts"

export interface Message {
  /**
   * `operator`: a supervisor's instruction to the agent, which the other side does not hear. `person`: what a person
   * said to the other side in the agent's place.
   */
  readonly role: "agent" | "caller" | "tool" | "operator" | "person"
  /** The part that was heard, if an agent's message was cut; for a tool, its result as JSON. */
  readonly text: string
  readonly tool_name?: string
  readonly arguments?: Schema.JsonObject
  /** The id of the tool call that this is the result of. */
  readonly call?: string
  readonly meta?: ToolCall["meta"]
  readonly interrupted?: boolean
  /**
   * If a voice model took part in this message itself: the number of the caller's utterance that it heard, or the id of
   * the sound that it spoke.
   */
  readonly utterance?: number
  readonly sound?: string
}

/** What a brain knows of the call before the first word. */
export interface Briefing {
  readonly kit: AgentKit
  readonly prompt: Prompt
  readonly time_zone: string
}

/**
 * The input of one step of a reply. Tools that the step asks for are run, and the next step finds their results in its
 * history.
 */
export interface TurnInput {
  readonly briefing: Briefing
  /** Everything said and done so far; entries after the caller's last words belong to this reply. */
  readonly history: ReadonlyArray<Message>
  /** No further tool is run: the brain has to speak. */
  readonly must_speak: boolean
  /** The model that made the previous step, for a brain that can ask several. */
  readonly model: string | null
  /** The call ends in less than 20 seconds. */
  readonly wrap_up: boolean
}

export interface ToolCall {
  readonly name: string
  /** The arguments as the model wrote them. A value that is not an object is refused. */
  readonly arguments: Schema.Json
  /** Data that the provider wants back with the result. */
  readonly meta?: Schema.JsonObject
}

export interface Usage {
  /** `provider/id` of the model that answered. */
  readonly model: string
  readonly tokens_in: number
  readonly tokens_out: number
  /** US dollars. */
  readonly cost: number
}

/** The parts of a reply, in order. */
export type Word =
  /**
   * The first text of the answer has arrived; sentences follow. A brain that produces whole sentences leaves it out.
   */
  | { readonly _tag: "FirstToken" }
  /** Spoken as soon as it arrives: a sentence or so. */
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "ToolCall"; readonly call: ToolCall }
  /** The tokens that a language model used for this step. */
  | { readonly _tag: "Usage"; readonly usage: Usage }
  /** The conversation ends when this reply has been spoken. */
  | { readonly _tag: "Farewell" }

export class BrainFailed extends Schema.TaggedError<BrainFailed>()("BrainFailed", {
  reason: Schema.String.annotate({ description: "Why the language model gave no answer." }),
}) {
  override get message() {
    return `The agent could not produce an answer: ${this.reason}`
  }
}

export class Brain extends Context.Service<
  Brain,
  {
    /** Keeps no state between steps: the history is the only input. Interrupting it stops its work. */
    readonly reply: (turn: TurnInput) => Stream.Stream<Word, BrainFailed>
  }
>()("brain/Brain") {}
