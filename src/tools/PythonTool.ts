/** Runs python tools: calls their one function with the arguments and the context of the call (spec §2, Tool). */
import { Effect, type Schema } from "effect"
import type { EquippedTool } from "../catalog/AgentKit.ts"
import type { Sandbox } from "./sandbox/Sandbox.ts"
import { type ToolContext, ToolFailed } from "./ToolRunner.ts"

export const run = Effect.fn("PythonTool.run")(function* (
  sandbox: Sandbox["Service"],
  { config, implementation_code }: EquippedTool,
  args: Schema.JsonObject,
  { about, ...context }: ToolContext,
) {
  if (implementation_code === null) {
    return yield* new ToolFailed({ code: "invalid_configuration", reason: "The tool has no implementation_code" })
  }
  return yield* sandbox.run({ code: implementation_code, arguments: args, context: { ...context, ...about, config } })
})
