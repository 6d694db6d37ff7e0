/**
 * One invocation of one tool: checks that the agent has it and that the arguments fit, runs it within its time, and
 * records the result.
 */
import { Clock, Effect, type Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { AgentKit, EquippedTool } from "../catalog/AgentKit.ts"
import * as JsonSchema from "../catalog/JsonSchema.ts"
import type { ToolInvocation } from "../domain/Call.ts"
import type { Disposition } from "../domain/Disposition.ts"
import { isObject, storable } from "../domain/JsonValue.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { builtIn } from "./builtin/BuiltIns.ts"
import type { CallControls } from "./CallControls.ts"
import { changeAll, type CollectedDigits } from "./CollectedDigits.ts"
import { failUnlessFits } from "./FitsSchema.ts"
import {
  largestResult,
  resultTooLarge,
  type ToolContext,
  ToolFailed,
  type ToolOutput,
  ToolRunner,
} from "./ToolRunner.ts"

/** Real seconds, since the caller waits on the line. An http tool has its own `timeout_ms` instead. */
const longest = "10 seconds"

export interface InvocationContext extends Omit<ToolContext, "invocation_id"> {
  readonly controls: CallControls
  readonly faq_ids: ReadonlyArray<string>
  readonly outcome_schema: Schema.JsonObject | null
  readonly dispositions: ReadonlyArray<Disposition>
  /**
   * Null without a call, and in a rehearsal with other tools in place of the real ones. References to digits are not
   * replaced then.
   */
  readonly digits: CollectedDigits | null
}

export const faultsOf = (tool: EquippedTool, args: Schema.JsonObject) => JsonSchema.faultsOf(tool.schema, args)

/** Runs a tool whose arguments fit. Every failure in it is a `ToolFailed`. */
export const run = Effect.fn("Invocation.run")(
  function* (
    tool: EquippedTool,
    args: Schema.JsonObject,
    context: InvocationContext,
    invocation_id: string,
  ): Effect.fn.Return<ToolOutput, ToolFailed, ToolRunner | CurrentTenant | SqlClient.SqlClient> {
    const inside = tool.is_default ? builtIn(tool.name) : undefined
    const output =
      inside === undefined
        ? yield* ToolRunner.use((runner) =>
            runner.run(tool, args, {
              invocation_id,
              call_id: context.call_id,
              phone_number: context.phone_number,
              variables: context.variables,
              time_zone: context.time_zone,
              about: context.about,
            }),
          )
        : { result: yield* inside(args, { ...context, config: tool.config }), logs: [] }
    const result = storable(output.result)
    if (JSON.stringify(result).length > largestResult) return yield* resultTooLarge()
    return { result, logs: output.logs }
  },
  (running, tool) =>
    (tool.implementation_type === "http" ? running : inTime(tool.name)(running)).pipe(withoutDefects(tool.name)),
)

const inTime = (tool: string) =>
  Effect.timeoutOrElse({
    duration: longest,
    orElse: () => new ToolFailed({ code: "tool_timeout", reason: `${tool} gave no result within ${longest}` }),
  })

const withoutDefects =
  (tool: string) =>
  <A, R>(self: Effect.Effect<A, ToolFailed, R>) =>
    Effect.catchDefect(self, (defect) =>
      Effect.andThen(
        Effect.annotateLogs(Effect.logError("tool failed by a defect", defect), { tool }),
        new ToolFailed({ code: "tool_failed", reason: `${tool} failed` }),
      ),
    )

/** What the model asks for, and the id that the invocation has. */
export interface Asked {
  readonly id: string
  readonly name: string
  readonly args: Schema.JsonObject
}

/** Whether a tool may change something in a system that is not Parley's. */
export const actsOutside = ({ implementation_config, implementation_type, is_default }: EquippedTool): boolean =>
  !is_default && implementation_type === "http" && implementation_config["method"] !== "GET"

/**
 * Whether the request may be sent again without being acted on twice: the server honours the key, it gets the same key,
 * and the arguments name no digits, which are known only during the call.
 */
export const isRepeatable = (tool: EquippedTool, args: Schema.JsonObject, digits: CollectedDigits | null): boolean => {
  const { headers, idempotent } = tool.implementation_config
  if (idempotent !== true) return false
  const hasOwnKey = isObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === "idempotency-key")
  const filled = digits?.fill(tool, args)
  return !hasOwnKey && (filled === undefined || (filled._tag === "Success" && filled.success === null))
}

/** For an agent on a call: every result, a refusal too, becomes a record. */
export const invoke = Effect.fn("Invocation.invoke")(function* (
  kit: AgentKit,
  name: string,
  args: Schema.JsonObject,
  context: InvocationContext,
  id: string = uuidv7(),
) {
  const began = yield* Clock.currentTimeMillis
  const tool = kit.tools.find((tool) => tool.name === name)
  const ended = yield* Effect.result(
    tool === undefined
      ? notEnabled(name)
      : Effect.suspend(() => checkAndRun(tool, args, context, id)).pipe(withoutDefects(name)),
  )
  const record: ToolInvocation = {
    id,
    tool_name: name,
    arguments: storable(args),
    ...(ended._tag === "Success"
      ? { result: ended.success.result }
      : { error: { code: ended.failure.code, message: ended.failure.reason } }),
    started_at: new Date(began),
    duration_ms: (yield* Clock.currentTimeMillis) - began,
  }
  return record
})

const notEnabled = (name: string) =>
  new ToolFailed({ code: "tool_not_enabled", reason: `This agent has no tool ${name} enabled` })

const checkAndRun = Effect.fnUntraced(function* (
  tool: EquippedTool,
  args: Schema.JsonObject,
  context: InvocationContext,
  id: string,
) {
  const filled =
    tool.is_default || context.digits === null ? null : yield* Effect.fromResult(context.digits.fill(tool, args))
  if (filled === null) return yield* runIfFits(tool, args, context, id)
  const { maskText } = filled
  return yield* runIfFits(tool, filled.args, context, id).pipe(
    Effect.map(({ logs, result }) => ({ result: changeAll(result, maskText), logs: logs.map(maskText) })),
    Effect.mapError(({ code, logs, reason }) => {
      const shown = logs === undefined ? {} : { logs: logs.map(maskText) }
      return new ToolFailed({ code: maskText(code), reason: maskText(reason), ...shown })
    }),
  )
})

const runIfFits = Effect.fnUntraced(function* (
  tool: EquippedTool,
  args: Schema.JsonObject,
  context: InvocationContext,
  id: string,
) {
  yield* failUnlessFits(tool.schema, args, { code: "invalid_arguments", words: "The arguments do not fit" })
  return yield* run(tool, args, context, id)
})
