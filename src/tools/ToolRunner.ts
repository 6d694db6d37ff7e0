/** Runs an account's own tools. Built-in tools run inside the platform (`builtin/`); these run outside it. */
import { Context, type Effect, Layer, Schema } from "effect"
import type { EquippedTool } from "../catalog/AgentKit.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"

/**
 * The context of the call that a tool gets. A python tool gets it, with its enablement's `config`, as its second
 * parameter.
 */
export interface ToolContext {
  /** The invocation's id, which the call's record and its transcript have too. */
  readonly invocation_id: string
  readonly call_id: string | null
  readonly phone_number: string | null
  readonly variables: Schema.JsonObject
  /** The account's time zone, so that "tomorrow" means the right day. */
  readonly time_zone: string
  /** `call`, `agent`, `contact` and `campaign` as plain data; the last two may be null. */
  readonly about: Schema.JsonObject
}

export interface ToolOutput {
  readonly result: Schema.Json
  /** What the tool printed. */
  readonly logs: ReadonlyArray<string>
}

/** The tool's own failure: an answer for the model, never the end of a call. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  code: Schema.String,
  reason: Schema.String,
  /** What it had printed until then. */
  logs: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether the same request may have another result soon: its server was overloaded or could not be reached. */
  is_transient: Schema.optionalKey(Schema.Boolean),
}) {
  override get message() {
    return this.reason
  }
}

/** Characters of JSON. A larger result would fill the model's context and the call's record. */
export const largestResult = 64 * 1024

export const resultTooLarge = (logs?: ReadonlyArray<string>) =>
  new ToolFailed({
    code: "result_too_large",
    reason: `The result is larger than ${largestResult} characters of JSON`,
    ...(logs === undefined ? {} : { logs }),
  })

export class ToolRunner extends Context.Service<
  ToolRunner,
  {
    /**
     * The arguments must have been checked against the tool's schema, and the time limit is up to the code that calls
     * this. The run takes a place of the account's share, so it may wait for the account's other runs.
     */
    readonly run: (
      tool: EquippedTool,
      args: Schema.JsonObject,
      context: ToolContext,
    ) => Effect.Effect<ToolOutput, ToolFailed, CurrentTenant>
  }
>()("tools/ToolRunner") {
  /** Runs no tool. */
  static readonly layerUnavailable = Layer.succeed(this, {
    run: ({ name }) => new ToolFailed({ code: "runner_unavailable", reason: `This installation cannot run ${name}` }),
  })
}
