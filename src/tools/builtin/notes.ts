/** Built-in tools that record results of a call: record_outcome, add_to_do_not_call. */
import { Effect, type Schema } from "effect"
import * as CallOptOuts from "../../catalog/CallOptOuts.ts"
import * as Suppressions from "../../catalog/Suppressions.ts"
import { dispositionField } from "../../domain/DispositionField.ts"
import { isE164 } from "../../domain/E164.ts"
import { isObject, textIn } from "../../domain/JsonValue.ts"
import { isUuid } from "../../domain/Name.ts"
import { failUnlessFits } from "../FitsSchema.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

/**
 * Checked against the agent's `outcome_schema` and its dispositions. The last recorded outcome counts. An agent with
 * dispositions must give one, as the field `disposition`.
 */
export const recordOutcome: BuiltIn = Effect.fnUntraced(function* (
  { outcome },
  { controls, dispositions, outcome_schema },
) {
  const recorded: Schema.JsonObject = isObject(outcome) ? outcome : {}
  const { [dispositionField]: key, ...others } = recorded
  const fields = dispositions.length === 0 ? recorded : others
  if (outcome_schema !== null) {
    const words = "It does not match the agent's outcome_schema"
    yield* failUnlessFits(outcome_schema, fields, { code: "invalid_outcome", words })
  }
  const disposition = dispositions.find((one) => one.key === key)
  if (dispositions.length > 0 && disposition === undefined) {
    const keys = dispositions.map((one) => one.key).join(", ")
    return yield* new ToolFailed({ code: "invalid_outcome", reason: `Its ${dispositionField} must be one of: ${keys}` })
  }
  yield* controls.recordOutcome(fields, disposition ?? null)
  return { status: "recorded", outcome: recorded }
})

/** Without a call it needs `context.phone_number`, the number to add. */
export const addToDoNotCall: BuiltIn = Effect.fnUntraced(function* (args, { call_id, controls, phone_number }) {
  if (phone_number === null || !isE164(phone_number)) {
    return yield* new ToolFailed({
      code: "no_phone_number",
      reason: "Which number? Outside of a call, set context.phone_number to an E.164 number",
    })
  }
  // The call records the opt-out first and writes it again at its end, so that it survives an unreachable database.
  yield* controls.optOut
  const reason = (textIn(args, "reason") ?? "asked for in a call").slice(0, 1_000)
  yield* call_id !== null && isUuid(call_id)
    ? Effect.orDie(CallOptOuts.add({ phone_number, call_id, reason }))
    : Suppressions.add({ phone_number, source: "call", reason })
  return { status: "added", phone_number }
})
