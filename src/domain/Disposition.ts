/** The dispositions of an agent: what may come of its calls, in the operator's own words (decision 0086). */
import { Schema } from "effect"

/** The most dispositions of an agent: each of them is in the prompt, and a person chooses from all of them. */
const mostDispositions = 50

export const DispositionKey = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,49}$/u, {
    message: "must be 1 to 50 of a-z, 0-9 and _, beginning with a letter, such as not_interested",
  }),
)

export const dispositionNames = {
  key: DispositionKey.annotate({ description: "The name in exports, events and filters. Unique within the agent." }),
  label: Schema.String.check(
    Schema.isPattern(/\S/u, { message: "must have a character other than a blank" }),
    Schema.isMaxLength(100),
  ).annotate({ description: "What people and the language model read." }),
}

export const Disposition = Schema.Struct({
  ...dispositionNames,
  final: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether it ends the contact: its campaign does not try it again, and cancels a callback. False if left out.",
    }),
  ),
}).annotate({ identifier: "Disposition" })
export type Disposition = typeof Disposition.Type

export const Dispositions = Schema.Array(Disposition)
  .annotate({
    description:
      "What may come of a call, in your own words. The agent sets one with `record_outcome`, as the field `disposition`; if it does not, it is read from the transcript after the call. A new agent has none by default.",
    examples: [
      [
        { key: "interested", label: "Wants an offer" },
        { key: "wrong_number", label: "Does not know the customer", final: true },
      ],
    ],
  })
  .check(
    Schema.isMaxLength(mostDispositions),
    Schema.makeFilter((all) => new Set(all.map(({ key }) => key)).size === all.length || "must not have a key twice"),
  )
