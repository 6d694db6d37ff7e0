/** Changes to the list of a campaign: contacts that a client adds, corrects or withdraws, and what became of each. */
import { Schema } from "effect"
import { ContactId } from "./Contact.ts"
import { customFieldsFaultOf } from "./CustomFields.ts"
import { mostAdditional } from "./AdditionalNumbers.ts"
import { inexpressible } from "./Inexpressible.ts"
import { visible } from "./Name.ts"
import { Priority } from "./Priority.ts"
import { highestPriority } from "./PriorityCell.ts"

/** The most contacts in one request. The account's dialling waits while a batch is written. */
export const mostAtOnce = 1_000

/** The most contacts of a campaign: about as many as the largest list has. */
export const mostContacts = 1_000_000

export const ExternalId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200), visible).annotate({
  description:
    "The client's own identifier of the contact, such as the id of the lead in a CRM. It is unique within the campaign. The same row sent twice changes nothing.",
})

export const NewContact = Schema.Struct({
  phone_number: Schema.String.check(Schema.isMaxLength(100)).annotate({
    description:
      "The number to call, as in a contact list: E.164, or a national number if the campaign has a `default_country`.",
  }),
  external_id: Schema.optionalKey(ExternalId),
  priority: Schema.optionalKey(
    Priority.annotate({
      description: `From 0 to ${highestPriority}: contacts with a higher priority are dialled first. A new contact has 0 by default, and a known one keeps what it has. It may change until the contact is in a call or settled.`,
    }),
  ),
  additional_numbers: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(100)))
      .check(Schema.isMaxLength(mostAdditional))
      .annotate({
        description: `Further numbers of the same person, at most ${mostAdditional}, written like \`phone_number\`, in the order in which they are called. A new contact has none by default, and a known one keeps what it has. They may change until the contact is in a call or settled.`,
      }),
  ),
  custom_fields: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String)
      .check(Schema.makeFilter((fields) => customFieldsFaultOf(fields) ?? true, inexpressible))
      .annotate({ description: "Variables for the agent's templates. For a known contact they replace all fields." }),
  ),
})
export type NewContact = typeof NewContact.Type

export const AddContacts = Schema.Struct({
  contacts: Schema.Array(NewContact)
    .check(Schema.isMinLength(1), Schema.isMaxLength(mostAtOnce))
    .annotate({ description: `The contacts, at most ${mostAtOnce} in one request.` }),
}).annotate({
  identifier: "AddContacts",
  examples: [
    {
      contacts: [
        { phone_number: "+14155550142", external_id: "lead-4711", custom_fields: { first_name: "Ada" } },
        {
          phone_number: "+14155550143",
          external_id: "lead-4712",
          additional_numbers: ["+14155550144"],
          custom_fields: { first_name: "Grace" },
        },
      ],
    },
  ] as never,
})

const results = ["created", "updated", "unchanged", "duplicate", "refused"] as const

export const RefusedBecause = Schema.Literals([
  "invalid_phone_number",
  "invalid_additional_number",
  "too_many_fields",
  "campaign_full",
  "in_progress",
  "already_called",
  "settled",
]).annotate({
  description:
    "`invalid_phone_number`: the number is not possible. `invalid_additional_number`: one of the further numbers is not possible. `too_many_fields`: the contacts of the campaign would have more than 199 different custom fields. `campaign_full`: the campaign has 1,000,000 contacts. For a change of a known contact, `in_progress`: it is in a call; send the row again later. `already_called`: a contact that was called keeps its number. `settled`: it is completed, failed or skipped, for example because it was withdrawn, and is not dialled again.",
})
export type RefusedBecause = typeof RefusedBecause.Type

export const AddedContact = Schema.Struct({
  result: Schema.Literals(results).annotate({
    description:
      "`created`: a new contact. `updated`: the contact with this `external_id` has new numbers, new fields or a new priority. `unchanged`: it is already as sent. `duplicate`: another contact of the campaign has this number, or an earlier row has this `external_id`; nothing changes. `refused`: nothing changes; `reason` and `detail` say why.",
  }),
  contact_id: Schema.NullOr(ContactId).annotate({
    description: "The contact, or the other one that has the number. Null if there is none.",
  }),
  external_id: Schema.NullOr(Schema.String).annotate({ description: "The row's `external_id`, if it has one." }),
  reason: Schema.NullOr(RefusedBecause),
  detail: Schema.NullOr(Schema.String).annotate({
    description: "A sentence for people about a refused row. Null for the others.",
  }),
}).annotate({ identifier: "AddedContact" })
export type AddedContact = typeof AddedContact.Type

const count = (what: string) => Schema.Int.annotate({ description: `The number of rows with the result \`${what}\`.` })

export const AddedContacts = Schema.Struct({
  created: count("created"),
  updated: count("updated"),
  unchanged: count("unchanged"),
  duplicate: count("duplicate"),
  refused: count("refused"),
  items: Schema.Array(AddedContact).annotate({ description: "One result for each row, in the order of the request." }),
}).annotate({ identifier: "AddedContacts" })
export type AddedContacts = typeof AddedContacts.Type

export const countResults = (items: ReadonlyArray<AddedContact>): AddedContacts => {
  const counts = { created: 0, updated: 0, unchanged: 0, duplicate: 0, refused: 0 }
  for (const { result } of items) counts[result]++
  return { ...counts, items }
}

export const WithdrawContacts = Schema.Struct({
  external_ids: Schema.Array(ExternalId)
    .check(Schema.isMinLength(1), Schema.isMaxLength(mostAtOnce))
    .annotate({ description: `The contacts' own ids, at most ${mostAtOnce} in one request.` }),
}).annotate({ identifier: "WithdrawContacts", examples: [{ external_ids: ["lead-4711", "lead-4712"] }] as never })

export const WithdrawnContact = Schema.Struct({
  external_id: Schema.String.annotate({ description: "The `external_id` of the request." }),
  contact_id: Schema.NullOr(ContactId).annotate({ description: "The contact. Null if the campaign has none." }),
  result: Schema.Literals(["withdrawn", "in_progress", "settled", "unknown"]).annotate({
    description:
      "`withdrawn`: the contact is skipped and never dialled, now or since an earlier request. `in_progress`: its call continues, and no attempt follows. `settled`: it is completed, failed or skipped for another reason, and is not dialled again anyway. `unknown`: no contact of the campaign has this `external_id`.",
  }),
}).annotate({ identifier: "WithdrawnContact" })
export type WithdrawnContact = typeof WithdrawnContact.Type

export const WithdrawnContacts = Schema.Struct({
  items: Schema.Array(WithdrawnContact).annotate({
    description: "One result for each id, in the order of the request.",
  }),
}).annotate({ identifier: "WithdrawnContacts" })
export type WithdrawnContacts = typeof WithdrawnContacts.Type
