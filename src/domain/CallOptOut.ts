/** How a call's other party asked not to be called again (decision 0078). */
import { Schema } from "effect"
import { timestamp } from "./Timestamp.ts"

export const OptOutSign = Schema.Literals(["words", "key", "tool"]).annotate({
  description:
    "`words`: Parley recognised them, and they are in `transcript`. `key`: the agent's `opt_out_key`. `tool`: the agent used `add_to_do_not_call`.",
})
export type OptOutSign = typeof OptOutSign.Type

export const OptOutScope = Schema.Literals(["account", "subject"]).annotate({
  description:
    "What it covers when a person asks in a call of the campaign not to be called again. `account` (the default): all calls of the account. `subject`: the campaigns with the same `subject`, and all calls that have none; without a `subject` of the campaign, as `account`.",
})
export type OptOutScope = typeof OptOutScope.Type

export const CallOptOut = Schema.Struct({
  by: OptOutSign,
  at: timestamp("When it was known."),
  at_ms: Schema.Int.annotate({ description: "The same in milliseconds of phone time since the answer." }),
  subject: Schema.optionalKey(Schema.String).annotate({
    description:
      "The subject to which the wish is limited, by the campaign's `opt_out_scope`. Absent if it covers all calls.",
  }),
}).annotate({
  identifier: "CallOptOut",
  examples: [{ by: "key", at: new Date("2026-11-21T10:00:08.200Z"), at_ms: 8_000 }],
})
export type CallOptOut = typeof CallOptOut.Type
