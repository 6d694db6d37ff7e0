/** A message of the campaign stream as sent. Decoding accepts fields that a newer server adds. */
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

/** A snapshot with its original text, for output that passes it on unchanged. */
export interface Message {
  readonly snapshot: Snapshot
  readonly text: string
}

/** Throws if the value is not a snapshot. */
export const read = (text: string): Message => ({ snapshot: decode(text), text })

export const done = ({ counts }: Snapshot): number => counts.completed + counts.failed + counts.skipped

/** Whole percent. A share above zero is at least 1, and one below the whole at most 99. */
export const percent = (part: number, whole: number): number => {
  if (whole === 0 || part === 0) return 0
  const exact = (100 * part) / whole
  return part === whole ? 100 : Math.min(99, Math.max(1, Math.round(exact)))
}
