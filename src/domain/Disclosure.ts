/** How much of its agent's disclosure a call's other party heard, by the position of the sound (decision 0078). */
import { Schema } from "effect"
import { timestamp } from "./Timestamp.ts"

export const Disclosure = Schema.Struct({
  heard_at: Schema.NullOr(timestamp("When a person had heard the whole disclosure.")).annotate({
    description: "When a person had heard the whole disclosure. Null if none has.",
  }),
  heard_ms: Schema.NullOr(Schema.Int).annotate({
    description: "The same in milliseconds of phone time since the answer.",
  }),
  heard_ratio: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
    description: "The share of its characters that a person has heard, rounded down to two digits. 0 for a machine.",
  }),
}).annotate({
  identifier: "Disclosure",
  examples: [{ heard_at: new Date("2026-11-21T10:00:06.100Z"), heard_ms: 5_900, heard_ratio: 1 }],
})
export type Disclosure = typeof Disclosure.Type
