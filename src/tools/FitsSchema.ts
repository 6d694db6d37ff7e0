/** Fails with a message for the agent if a value does not fit a schema, or cannot be checked. */
import { Effect, type Schema } from "effect"
import * as JsonSchema from "../catalog/JsonSchema.ts"
import { Crowded, type Issue, type TooCostly } from "../domain/Refusals.ts"
import { ToolFailed } from "./ToolRunner.ts"

/** `unfit`: the code of the failure, and the beginning of its sentence, if the value does not fit. */
export const failUnlessFits = Effect.fnUntraced(function* (
  schema: Schema.JsonObject,
  value: Schema.Json,
  unfit: { readonly code: string; readonly words: string },
) {
  const faults = yield* Effect.mapError(JsonSchema.faultsOf(schema, value), failureOf)
  if (faults.length > 0) {
    return yield* new ToolFailed({ code: unfit.code, reason: `${unfit.words}: ${sentenceOf(faults)}` })
  }
})

const failureOf = (refusal: TooCostly | Crowded): ToolFailed =>
  refusal instanceof Crowded
    ? new ToolFailed({ code: "rate_limited", reason: refusal.message })
    : new ToolFailed({ code: "too_costly", reason: `It ${sentenceOf(refusal.errors)}` })

const sentenceOf = (faults: ReadonlyArray<Issue>): string =>
  faults.map(({ detail, pointer }) => (pointer === "" ? detail : `${pointer} ${detail}`)).join("; ")
