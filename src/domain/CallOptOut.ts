/** How a call's other party asked not to be called again (decision 0078). */
import { Schema } from "effect"
import { timestamp } from "./Timestamp.ts"

export const OptOutSign = Schema.Literals(["words", "key", "tool"]).annotate({
  description:
    "`words`: Parley recognised them, and they are in `transcript`. `key`: the agent's `opt_out_key`. `tool`: the agent used `add_to_do_not_call`.",
})
export type OptOutSign = typeof OptOutSign.Type

export const CallOptOut = Schema.Struct({
  by: OptOutSign,
  at: timestamp("When it was known."),
  at_ms: Schema.Int.annotate({ description: "The same in milliseconds of phone time since the answer." }),
}).annotate({
  identifier: "CallOptOut",
  examples: [{ by: "key", at: new Date("2026-11-21T10:00:08.200Z"), at_ms: 8_000 }],
})
export type CallOptOut = typeof CallOptOut.Type
