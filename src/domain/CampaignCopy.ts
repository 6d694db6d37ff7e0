/** A copy of a campaign: a draft with the same settings, for all of its contacts or those that ended in some way. */
import { Schema } from "effect"
import { Outcome } from "./Call.ts"
import { CampaignFields } from "./Campaign.ts"
import { ContactStatus } from "./Contact.ts"
import { DispositionKey } from "./Disposition.ts"

/** As many as an agent may have. */
const dispositionsAtMost = 50

const some = <S extends Schema.Top>(values: S) =>
  Schema.optionalKey(Schema.Array(values).check(Schema.isMinLength(1), Schema.isUnique()))

export const CopyCampaign = Schema.Struct({
  name: CampaignFields.name,
  statuses: some(ContactStatus).annotate({
    description: "Copies the contacts with one of these statuses. Without it, contacts with any status.",
  }),
  outcomes: some(Outcome).annotate({
    description:
      "Copies the contacts whose last attempt had one of these outcomes. Without it, contacts with any outcome or none.",
  }),
  dispositions: Schema.optionalKey(
    Schema.Array(DispositionKey).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(dispositionsAtMost),
      Schema.isUnique(),
    ),
  ).annotate({
    description:
      "Copies the contacts whose last call has one of these dispositions, by key. Each must be one of the campaign's agent or of the campaign's calls. Without it, contacts with any disposition or none. Of `statuses`, `outcomes` and `dispositions`, a contact must match all that are given.",
  }),
}).annotate({
  identifier: "CopyCampaign",
  examples: [{ name: "Reminders of November, second round", outcomes: ["no_answer", "busy", "voicemail"] }] as never,
})
export type CopyCampaign = typeof CopyCampaign.Type
