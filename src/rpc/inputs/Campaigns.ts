/**
 * Inputs of the operations on campaigns. A campaign is created by an upload, `POST /api/v1/campaigns`; its settings are
 * checked here too.
 */
import { z } from "zod"
import { mostAdditional } from "../../domain/AdditionalNumbers.ts"
import { consentBases } from "../../domain/ConsentValues.ts"
import { campaignReadOnlyInUpdate } from "../../domain/CampaignReadOnly.ts"
import { customFieldsFaultOf } from "../../domain/CustomFields.ts"
import { outcomes } from "../../domain/Outcomes.ts"
import {
  Amount,
  AgentId,
  between,
  DispositionKey,
  etag,
  Key,
  listOf,
  visible,
  notBlank,
  page,
  PhoneNumberId,
  Search,
  Subject,
  text,
  Timestamp,
  TimeZone,
  writable,
} from "./Fields.ts"

const time = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u, "must be a time such as 09:00")

export const CallingWindow = z
  .strictObject({
    days: listOf(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), 1, 7),
    start: time,
    end: time,
    time_zone: z.union([z.literal("contact"), TimeZone]),
  })
  .refine(({ end, start }) => start < end, { path: ["end"], error: "must be after start" })

const Scope = text(1, 200).refine(...visible)

const retryRule = z
  .strictObject({ retries: between(0, 10).exactOptional(), delay_seconds: between(0, 604_800).exactOptional() })
  .refine((rule) => Object.keys(rule).length > 0, "must have retries or delay_seconds")

/** What a campaign or a direct call asks to be checked before it dials. */
export const judged = {
  required_consent: z
    .strictObject({
      basis: listOf(z.enum(consentBases), 1, consentBases.length),
      subject: Scope.exactOptional(),
      seller: Scope.exactOptional(),
    })
    .nullable()
    .exactOptional(),
  rule_packs: listOf(
    z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, "must be lower-case letters and digits, joined by -")
      .max(60),
    0,
    20,
  ).exactOptional(),
  subject: Subject.nullable().exactOptional(),
}

const fields = {
  name: notBlank(200).refine(...visible),
  agent_id: AgentId,
  phone_number_id: PhoneNumberId,
  max_concurrent_calls: between(1, 1_000_000).exactOptional(),
  retries_per_contact: between(0, 10).exactOptional(),
  retry_delay_seconds: between(0, 604_800).exactOptional(),
  retry_by_outcome: z
    .strictObject({
      no_answer: retryRule.exactOptional(),
      busy: retryRule.exactOptional(),
      voicemail: retryRule.exactOptional(),
      carrier_error: retryRule.exactOptional(),
    })
    .nullable()
    .exactOptional(),
  retry_time_of_day: z.enum(["rotate", "best"]).nullable().exactOptional(),
  scheduled_at: Timestamp.nullable().exactOptional(),
  calling_window: CallingWindow.nullable().exactOptional(),
  max_calls_per_minute: between(1, 1_000_000).nullable().exactOptional(),
  quiet_after_answer_seconds: between(1, 31_622_400).nullable().exactOptional(),
  redial_unknown: z.boolean().exactOptional(),
  callbacks_per_contact: between(0, 3).exactOptional(),
  ...judged,
  opt_out_scope: z.enum(["account", "subject"]).exactOptional(),
  max_spend: Amount.nullable().exactOptional(),
  caller_numbers: listOf(PhoneNumberId, 0, 100).exactOptional(),
  local_presence: z.boolean().exactOptional(),
  number_rest: z
    .strictObject({
      min_calls: between(50, 100_000).exactOptional(),
      below_percent: between(1, 90).exactOptional(),
      rest_hours: between(1, 720).exactOptional(),
    })
    .nullable()
    .exactOptional(),
}

/** The fields of the form that creates a campaign, without its file, before they become texts. */
export const NewCampaign = z.strictObject({
  ...fields,
  duplicate_policy: z.enum(["skip", "reject", "keep"]).exactOptional(),
  default_country: z
    .string()
    .regex(/^[A-Za-z]{2}$/u, "must be an ISO 3166-1 alpha-2 country code, such as US")
    .exactOptional(),
  priority_column: z.string().max(200).exactOptional(),
  additional_number_columns: listOf(z.string().max(200), 0, mostAdditional).exactOptional(),
})

export const CampaignChange = writable(
  {
    ...fields,
    name: fields.name.exactOptional(),
    agent_id: fields.agent_id.exactOptional(),
    phone_number_id: fields.phone_number_id.exactOptional(),
    loosen_rules: z.boolean().exactOptional(),
  },
  campaignReadOnlyInUpdate,
)

export const CampaignKey = z.strictObject({ id: Key })
export const CampaignUpdate = CampaignChange.extend({ id: Key, ...etag })
const campaignFilter = {
  ...page(),
  status: z.enum(["draft", "running", "paused", "completed", "failed"]).exactOptional(),
  state: z.enum(["running", "waiting", "scheduled", "paused", "draft", "completed", "failed", "ended"]).exactOptional(),
  agent_id: AgentId.exactOptional(),
  search: Search.exactOptional(),
  order: z.enum(["newest", "state"]).exactOptional(),
}
export const CampaignList = z.strictObject(campaignFilter).prefault({})
/** The same list as a live view. tRPC's client adds the id of its last item when it reconnects. */
export const CampaignBoard = z.strictObject({ ...campaignFilter, lastEventId: z.string().nullish() }).prefault({})

export const Outcome = z.enum(outcomes)

const status = z.enum(["pending", "in_progress", "completed", "failed", "skipped"])
export const CampaignCopy = z.strictObject({
  id: Key,
  name: fields.name,
  statuses: listOf(status, 1, 5).exactOptional(),
  outcomes: listOf(Outcome, 1, outcomes.length).exactOptional(),
  dispositions: listOf(DispositionKey, 1, 50).exactOptional(),
})

export const ContactList = z.strictObject({
  campaign_id: Key,
  ...page(100),
  status: status.exactOptional(),
  outcome: Outcome.exactOptional(),
  disposition: DispositionKey.exactOptional(),
  search: Search.exactOptional(),
})
export const ContactKey = z.strictObject({ campaign_id: Key, contact_id: Key })
export const CallbackList = z.strictObject({ campaign_id: Key, ...page(100) })
export const CallbackMove = ContactKey.extend({ at: Timestamp })

const ExternalId = text(1, 200).refine(...visible)
const mostAtOnce = 1_000
export const ContactAdditions = z.strictObject({
  campaign_id: Key,
  contacts: z
    .array(
      z.strictObject({
        phone_number: text(0, 100),
        external_id: ExternalId.exactOptional(),
        priority: between(0, 100).exactOptional(),
        additional_numbers: listOf(text(0, 100), 0, mostAdditional).exactOptional(),
        custom_fields: z
          .record(z.string(), z.string())
          .refine((fields) => customFieldsFaultOf(fields) === undefined, {
            error: ({ input }) => customFieldsFaultOf(input as Record<string, string>),
          })
          .exactOptional(),
      }),
    )
    .min(1)
    .max(mostAtOnce),
})
export const ContactWithdrawals = z.strictObject({
  campaign_id: Key,
  external_ids: z.array(ExternalId).min(1).max(mostAtOnce),
})
export const CampaignTimeline = z.strictObject({ id: Key, bucket_seconds: between(1, 86_400).exactOptional() })

/** A campaign to follow. When it reconnects, tRPC's client sends `lastEventId`, the position to continue from. */
export const CampaignLive = z.strictObject({ id: Key, lastEventId: z.string().nullish() })
