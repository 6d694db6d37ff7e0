/**
 * When a number rests automatically: clearly fewer of its calls in a campaign are answered than of the calls from the other
 * numbers of the same pool (decision 0084).
 */
import { Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const NumberRestRule = Schema.Struct({
  min_calls: Schema.optionalKey(between(50, 100_000)).annotate({
    description:
      "How many calls of the last 7 days must have reached a phone before a number is compared: that many from the number, and that many from the other numbers together. 100 by default.",
  }),
  below_percent: Schema.optionalKey(between(1, 90)).annotate({
    description: "A number rests below this percentage of the others' answer rate. 50 by default.",
  }),
  rest_hours: Schema.optionalKey(between(1, 720)).annotate({
    description: "How long it rests, in all campaigns. 24 hours by default.",
  }),
}).annotate({
  identifier: "NumberRestRule",
  description: "When a number rests automatically. An empty object takes all defaults.",
})
export type NumberRestRule = typeof NumberRestRule.Type

/** Days whose calls are compared, in the account's time zone, today included. */
export const windowDays = 7

/** The calls of one number, or of several. */
export const Answers = Schema.Struct({
  rang: Schema.Int.annotate({
    description:
      "Ended calls that reached a phone: with the outcome `answered`, `voicemail`, `no_answer`, `busy` or `rejected`.",
  }),
  answered: Schema.Int.annotate({ description: "Those that a person answered." }),
})
export type Answers = typeof Answers.Type

/**
 * The width of the confidence intervals, in standard deviations. With 3, chance alone rests a number that is as good as
 * the others on fewer than 1 of 1,000 days (test/domain/NumberRest.test.ts simulates it).
 */
const deviations = 3

/** The bounds of the true rate: Wilson's score interval, which also holds for few answers. */
const boundsOf = ({ answered, rang }: Answers): { readonly low: number; readonly high: number } => {
  const share = answered / rang
  const z2 = deviations ** 2 / rang
  const middle = share + z2 / 2
  const spread = deviations * Math.sqrt((share * (1 - share) + z2 / 4) / rang)
  return { low: (middle - spread) / (1 + z2), high: (middle + spread) / (1 + z2) }
}

/** Whether the number is to rest: its rate is below that share of the others' rate, and chance is an unlikely cause. */
export const isFalling = (own: Answers, others: Answers, { below_percent = 50, min_calls = 100 }: NumberRestRule) => {
  if (own.rang < min_calls || others.rang < min_calls) return false
  const isBelow = own.answered / own.rang < (below_percent / 100) * (others.answered / others.rang)
  return isBelow && boundsOf(own).high < boundsOf(others).low
}

export const restHoursOf = ({ rest_hours = 24 }: NumberRestRule): number => rest_hours
