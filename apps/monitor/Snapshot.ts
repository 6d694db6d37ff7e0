/** A message of the campaign stream, as the monitor reads it: the wire's own form, lenient where a newer server may say more. */
import { Schema } from "effect"
import { CampaignSnapshot } from "../../src/domain/CampaignSnapshot.ts"

const Wire = Schema.toEncoded(
  Schema.Struct({
    ...CampaignSnapshot.fields,
    waiting_for: Schema.NullOr(Schema.String),
    cost: Schema.Struct({ amount: Schema.Finite, currency: Schema.String }),
  }),
)
export type Snapshot = typeof Wire.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Wire))

/** With the text as it came, for those who want to pass it on whole. */
export interface Message {
  readonly snapshot: Snapshot
  readonly text: string
}

/** Throws at what is no snapshot. */
export const read = (text: string): Message => ({ snapshot: decode(text), text })

export const done = ({ counts }: Snapshot): number => counts.completed + counts.failed + counts.skipped

/** Whole percent; what is there at all is never 0, and what is not all is never 100. */
export const percent = (part: number, whole: number): number => {
  if (whole === 0 || part === 0) return 0
  const exact = (100 * part) / whole
  return part === whole ? 100 : Math.min(99, Math.max(1, Math.round(exact)))
}
