/** A campaign's calls over time, by when they began. */
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

export const CampaignTimeline = Schema.Struct({
  bucket_seconds: Schema.Int,
  items: Schema.Array(
    Schema.Struct({ at: Timestamp, calls: Schema.Int, outcomes: Schema.Record(Schema.String, Schema.Int) }),
  ),
}).annotate({ identifier: "CampaignTimeline" })

/** Seconds of a bucket if the request names none. */
export const usualBucketSeconds = 300
