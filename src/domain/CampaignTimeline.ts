/** A campaign's calls over time, by when they began. */
import { Schema } from "effect"
import { timestamp } from "./Timestamp.ts"

export const CampaignTimeline = Schema.Struct({
  bucket_seconds: Schema.Int.annotate({ description: "The length of a bucket in seconds." }),
  items: Schema.Array(
    Schema.Struct({
      at: timestamp("When the bucket begins."),
      calls: Schema.Int.annotate({ description: "The calls that began in the bucket." }),
      outcomes: Schema.Record(Schema.String, Schema.Int).annotate({
        description: "The calls of the bucket that have ended, by outcome.",
      }),
    }),
  ).annotate({ description: "The buckets in which calls began, oldest first." }),
}).annotate({ identifier: "CampaignTimeline" })

/** Seconds of a bucket if the request names none. */
export const usualBucketSeconds = 300
