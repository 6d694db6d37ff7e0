/** Limits the tools that a model may ask for. A model that repeats a call gets an error, and is then stopped. Pure. */
import type { Schema } from "effect"
import type { ToolInvocation } from "../domain/Call.ts"
import { isObject } from "../domain/JsonValue.ts"
import type { ToolCall } from "./Brain.ts"

/** Steps of one turn; in the last one the brain has no tools and has to speak. */
export const mostSteps = 5
export const mostCallsAStep = 8
/**
 * Limits for one tool with the same arguments: the third request in a turn is refused, and the sixth in a call ends the
 * call.
 */
const mostInATurn = 2
const mostInACall = 5

/** The answer to a tool call, for the brain: its result, or why there is none. */
export type Answer = Pick<ToolInvocation, "result" | "error">

/** How often each tool call was requested, by the tool's name and its arguments. */
export type Asked = ReadonlyMap<string, number>

export const none: Asked = new Map()

const keyOf = ({ arguments: args, name }: ToolCall) => `${name} ${JSON.stringify(args)}`

export const count = (asked: Asked, call: ToolCall): Asked => {
  const key = keyOf(call)
  return new Map(asked).set(key, (asked.get(key) ?? 0) + 1)
}

/** Returns why the call is not run, or null if it is. `inTurn` counts the calls of this turn so far. */
export const refusal = (inTurn: Asked, call: ToolCall): Answer | null => {
  if (!isObject(call.arguments)) {
    return { error: { code: "invalid_arguments", message: "The arguments are not a JSON object" } }
  }
  return (inTurn.get(keyOf(call)) ?? 0) >= mostInATurn
    ? { error: { code: "repeated", message: "You have asked for this several times; go on with what you have" } }
    : null
}

export const isHopeless = (inCall: Asked, call: ToolCall): boolean => (inCall.get(keyOf(call)) ?? 0) >= mostInACall

export const cancelled: Answer = {
  error: { code: "cancelled", message: "The caller spoke before it was begun; it was not run" },
}
export const stillRunning: Answer = { result: { status: "still running" } }
export const tooSlow = (name: string, ms: number): Answer => ({
  error: { code: "tool_timeout", message: `${name} gave no result within ${ms / 1_000} seconds` },
})

/** The answer as JSON, as a brain reads it. */
export const textOf = ({ error, result }: Answer): string =>
  JSON.stringify(error === undefined ? (result ?? null) : { error })

export const argumentsOf = ({ arguments: args }: ToolCall): Schema.JsonObject => (isObject(args) ? args : {})
