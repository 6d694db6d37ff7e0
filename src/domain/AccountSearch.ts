/** The results of a search over a whole account, and the names behind the ids of a list. */
import { Schema } from "effect"
import { CampaignId } from "./Campaign.ts"
import { Contact } from "./Contact.ts"
import { E164 } from "./E164.ts"

const campaign_name = Schema.String
const { custom_fields, id } = Contact.fields
/** Never null: an erased contact has no number, and no search finds it. */
const phone_number = E164

/** A contact with the campaign that its row belongs to. */
export const FoundContact = Schema.Struct({ id, campaign_id: CampaignId, campaign_name, phone_number, custom_fields })
export type FoundContact = typeof FoundContact.Type

/** Names that a list of calls shows instead of ids. Ids of deleted rows are left out. */
export const CallNames = Schema.Struct({
  campaigns: Schema.Array(Schema.Struct({ id: CampaignId, name: Schema.String })),
  contacts: Schema.Array(Schema.Struct({ id, custom_fields })),
})
export type CallNames = typeof CallNames.Type
