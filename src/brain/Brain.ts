/** Decides what the agent says next. One port; the language model is one implementation, the scripted brain another. */
import { Context, Schema, type Stream } from "effect"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { Prompt } from "./Prompt.ts"

export interface Message {
  /**
   * `operator`: what a supervisor of the account tells the agent, unheard by the other side. `person`: what a person said
   * to the other side in the agent's place.
   */
  readonly role: "agent" | "caller" | "tool" | "operator" | "person"
  /** The part that was heard, if an agent's message was cut; for a tool, its result as JSON. */
  readonly text: string
  readonly tool_name?: string
  readonly arguments?: Schema.JsonObject
  /** The tool call whose one result this is. */
  readonly call?: string
  readonly meta?: ToolCall["meta"]
  readonly interrupted?: boolean
  /** A voice model has heard or said it itself: the caller's utterance, or the sound of the agent's words. */
  readonly utterance?: number
  readonly sound?: string
}

/** What a brain knows of the call before the first word. */
export interface Briefing {
  readonly kit: AgentKit
  readonly prompt: Prompt
  readonly time_zone: string
}

/** One step of a reply. The tools that it asks for are run, and their results are in the history of the next step. */
export interface TurnInput {
  readonly briefing: Briefing
  /** Everything said and done so far; entries after the caller's last words belong to this reply. */
  readonly history: ReadonlyArray<Message>
  /** No further tool is run: the brain has to speak. */
  readonly must_speak: boolean
  /** The model that made the previous step, for a brain that can ask several. */
  readonly model: string | null
  /** The call has some seconds left. */
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
  /** The first text of the answer has arrived; the words that can be spoken follow. A brain that has whole sentences leaves it out. */
  | { readonly _tag: "FirstToken" }
  /** Spoken as soon as it arrives: a sentence or so. */
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "ToolCall"; readonly call: ToolCall }
  /** The tokens that a language model used for it. */
  | { readonly _tag: "Usage"; readonly usage: Usage }
  /** The conversation is over once this reply was said. */
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
