/** Who decides what the agent says next. One port; a model is one implementation, the scripted brain another. */
import { Context, Schema, type Stream } from "effect"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { Prompt } from "./Prompt.ts"

export interface Message {
  readonly role: "agent" | "caller" | "tool"
  /** Of an agent's message that was cut short, what was heard. Of a tool, its result as JSON. */
  readonly text: string
  readonly tool_name?: string
  readonly arguments?: Schema.JsonObject
  /** Which call of the tool this is the one result of. */
  readonly call?: string
  readonly meta?: ToolCall["meta"]
  readonly interrupted?: boolean
}

/** What a brain knows of the call, from before the first word. */
export interface Briefing {
  readonly kit: AgentKit
  readonly prompt: Prompt
  readonly time_zone: string
}

/** One step of an answer: what it asks for is done, and its results stand in the history of the next step. */
export interface TurnInput {
  readonly briefing: Briefing
  /** Everything said and done so far; what follows the last words of the caller was done for this answer. */
  readonly history: ReadonlyArray<Message>
  /** No tool is run any more: something has to be said. */
  readonly must_speak: boolean
  /** Who answered the step before, of a brain that can ask several models. */
  readonly model: string | null
  /** The call has some seconds left. */
  readonly wrap_up: boolean
}

export interface ToolCall {
  readonly name: string
  /** Anything that a model made up; what is no object is refused. */
  readonly arguments: Schema.Json
  /** What the provider wants to see again with the result. */
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

/** What an answer is made of, in its order. */
export type Word =
  /** Said as soon as it is there: a sentence or so. */
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "ToolCall"; readonly call: ToolCall }
  /** What a language model took for it. */
  | { readonly _tag: "Usage"; readonly usage: Usage }
  /** The conversation is over when this has been said. */
  | { readonly _tag: "Farewell" }

export class BrainFailed extends Schema.TaggedError<BrainFailed>()("BrainFailed", { reason: Schema.String }) {
  override get message() {
    return `The agent could not think of an answer: ${this.reason}`
  }
}

export class Brain extends Context.Service<
  Brain,
  {
    /** It keeps no state between steps: the history is all there is. Interrupted, it stops whatever it has begun. */
    readonly reply: (turn: TurnInput) => Stream.Stream<Word, BrainFailed>
  }
>()("brain/Brain") {}
