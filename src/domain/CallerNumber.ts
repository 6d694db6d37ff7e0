/** A phone number as campaigns call from it: what it may do now, and how many of its calls are answered (decision 0084). */
import { Schema } from "effect"
import { Answers } from "./NumberRest.ts"
import { visible } from "./Name.ts"
import { PhoneNumber } from "./PhoneNumber.ts"
import { Timestamp, timestamp, TimestampInput } from "./Timestamp.ts"

export const NumberRest = Schema.Struct({
  since: timestamp("When the rest began."),
  until: Schema.NullOr(Timestamp).annotate({ description: "When it ends. Null: when a user ends it." }),
  reason: Schema.Literals(["user", "answer_rate"]).annotate({
    description:
      "`user`: a user asked for it. `answer_rate`: it rests automatically, by the `number_rest` of a campaign.",
  }),
  detail: Schema.NullOr(Schema.String).annotate({ description: "The user's note, or what was measured." }),
  campaign_id: Schema.NullOr(Schema.String).annotate({
    description: "The campaign whose calls were compared. Null if a user asked for the rest.",
  }),
}).annotate({ identifier: "NumberRest" })

const AnswerRate = Schema.Struct({
  ...Answers.fields,
  rate: Schema.NullOr(Schema.Finite).annotate({
    description: "The answered share of `rang`, from 0 to 1. Null if no call reached a phone.",
  }),
}).annotate({ identifier: "AnswerRate" })

const NumberDay = Schema.Struct({
  day: Schema.String.annotate({ description: "The day in the account's time zone, such as 2026-11-28." }),
  calls: Schema.Int.annotate({ description: "Calls that began on that day, without transfers." }),
  ...Answers.fields,
}).annotate({ identifier: "NumberDay" })

const { carrier, id, label, max_calls_per_day, min_seconds_between_calls, number } = PhoneNumber.fields

export const CallerNumber = Schema.Struct({
  ...{ id, number, label, carrier, max_calls_per_day, min_seconds_between_calls },
  state: Schema.Literals(["free", "paced", "at_daily_limit", "resting"]).annotate({
    description:
      "`paced`: its next call may begin when the time between calls is over. `at_daily_limit`: it has begun its `max_calls_per_day`.",
  }),
  next_call_at: Schema.NullOr(Timestamp).annotate({
    description: "When it may call again. Null if it may now, or if it rests until a user ends that.",
  }),
  rest: Schema.NullOr(NumberRest).annotate({ description: "The rest in progress. Null if it does not rest." }),
  calls_today: Schema.Int.annotate({
    description: "Calls that began today from it, of all campaigns and direct calls, without transfers.",
  }),
  answers: Schema.Struct({
    day_1: AnswerRate.annotate({ description: "Today." }),
    day_7: AnswerRate.annotate({ description: "The last 7 days." }),
    day_30: AnswerRate.annotate({ description: "The last 30 days." }),
  }).annotate({
    description: "The answers of today, of the last 7 and of the last 30 days, today included.",
  }),
  days: Schema.Array(NumberDay).annotate({
    description: "The days of the last 30 on which it had calls, oldest first.",
  }),
}).annotate({ identifier: "CallerNumber" })
export type CallerNumber = typeof CallerNumber.Type

export const RestNumber = Schema.Struct({
  until: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({
      description: "When the rest ends. Null or absent: when a user ends it. RFC 3339 with a UTC offset.",
    }),
  ),
  detail: Schema.optionalKey(
    Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200), visible)).annotate({
      description: "A note for people: why it rests.",
    }),
  ),
}).annotate({ identifier: "RestNumber", examples: [{ detail: "Complaints about calls in the evening" }] })
export type RestNumber = typeof RestNumber.Type
