/** Who decides what the agent says next. One port; a model is one implementation, the scripted brain another. */
import { Context, type Effect, Schema } from "effect"
import type { AgentKit } from "../../catalog/AgentKit.ts"
import type { ToolInvocation } from "../../domain/Call.ts"
import type { Prompt } from "./Prompt.ts"

export interface Message {
  readonly role: "agent" | "caller" | "tool"
  /** Of an agent's message that was cut short, what was heard. Of a tool, its result as JSON. */
  readonly text: string
  readonly tool_name?: string
  readonly arguments?: Schema.JsonObject
  readonly interrupted?: boolean
}

/** What a brain knows of the call, from before the first word. */
export interface Briefing {
  readonly kit: AgentKit
  readonly prompt: Prompt
  readonly time_zone: string
}

export interface TurnInput {
  readonly briefing: Briefing
  /** Everything said so far; the last message is what is to be answered. */
  readonly history: ReadonlyArray<Message>
  /** Runs a tool at once. A tool that fails is a result too. */
  readonly invoke: (tool_name: string, args: Schema.JsonObject) => Effect.Effect<ToolInvocation>
}

export interface Reply {
  /** What the agent says; empty: nothing. */
  readonly text: string
  /** The conversation is over when it has been said. */
  readonly ends: boolean
  /** What a language model took for it. */
  readonly usage?: Usage
}

export interface Usage {
  /** `provider/id` of the model that answered. */
  readonly model: string
  readonly tokens_in: number
  readonly tokens_out: number
  /** US dollars. */
  readonly cost: number
}

export class BrainFailed extends Schema.TaggedError<BrainFailed>()("BrainFailed", { reason: Schema.String }) {
  override get message() {
    return `The agent could not think of an answer: ${this.reason}`
  }
}

export class Brain extends Context.Service<
  Brain,
  {
    /** One turn. It keeps no state between turns: the history is all there is. */
    readonly reply: (turn: TurnInput) => Effect.Effect<Reply, BrainFailed>
  }
>()("calls/brain/Brain") {}
