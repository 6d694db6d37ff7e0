/** The form that creates a campaign. Converts its texts to the campaign's settings (spec §2; decisions §2). */
import { Effect, Option, Schema } from "effect"
import type { RowRules } from "../campaigns/lists/ContactRows.ts"
import { isCountry } from "../campaigns/lists/NumberFormat.ts"
import type { NewCampaign } from "../campaigns/Campaigns.ts"
import { mostAdditional } from "../domain/AdditionalNumbers.ts"
import { CampaignFields, DuplicatePolicy, ScheduledAtInput } from "../domain/Campaign.ts"
import { campaignReadOnly } from "../domain/CampaignReadOnly.ts"
import { faultsOf } from "../domain/Faults.ts"
import { inexpressible } from "../domain/Inexpressible.ts"
import { canonicalOrNull } from "../domain/Money.ts"
import { highestPriority } from "../domain/PriorityCell.ts"
import { Invalid } from "../domain/Refusals.ts"
import { faultOf } from "./edge/StrictJson.ts"

export const Country = Schema.String.check(
  Schema.makeFilter(
    (code) => isCountry(code) || "must be an ISO 3166-1 alpha-2 country code, such as US",
    inexpressible,
  ),
).annotate({ description: "The country of numbers that are written without a `+`, as an ISO 3166-1 alpha-2 code." })

/** The settings that a new campaign may have and that can be changed later. */
export const campaignSettings = {
  max_concurrent_calls: Schema.optionalKey(CampaignFields.max_concurrent_calls),
  retries_per_contact: Schema.optionalKey(CampaignFields.retries_per_contact),
  retry_delay_seconds: Schema.optionalKey(CampaignFields.retry_delay_seconds),
  retry_by_outcome: Schema.optionalKey(CampaignFields.retry_by_outcome),
  retry_time_of_day: Schema.optionalKey(CampaignFields.retry_time_of_day),
  scheduled_at: Schema.optionalKey(ScheduledAtInput),
  calling_window: Schema.optionalKey(CampaignFields.calling_window),
  required_consent: Schema.optionalKey(CampaignFields.required_consent),
  max_calls_per_minute: Schema.optionalKey(CampaignFields.max_calls_per_minute),
  quiet_after_answer_seconds: Schema.optionalKey(CampaignFields.quiet_after_answer_seconds),
  callbacks_per_contact: Schema.optionalKey(CampaignFields.callbacks_per_contact),
  rule_packs: Schema.optionalKey(CampaignFields.rule_packs),
  subject: Schema.optionalKey(CampaignFields.subject),
  opt_out_scope: Schema.optionalKey(CampaignFields.opt_out_scope),
  max_spend: Schema.optionalKey(CampaignFields.max_spend),
  caller_numbers: Schema.optionalKey(CampaignFields.caller_numbers),
  local_presence: Schema.optionalKey(CampaignFields.local_presence),
  number_rest: Schema.optionalKey(CampaignFields.number_rest),
}

/** The fields as JSON types; the form sends them as text. */
export const CampaignForm = Schema.Struct({
  name: CampaignFields.name.annotate({ examples: ["Reminders of November"] }),
  agent_id: CampaignFields.agent_id,
  phone_number_id: CampaignFields.phone_number_id,
  ...campaignSettings,
  duplicate_policy: Schema.optionalKey(DuplicatePolicy),
  redial_unknown: Schema.optionalKey(CampaignFields.redial_unknown),
  default_country: Schema.optionalKey(Country),
  priority_column: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(200)).annotate({
      description: `The name of the column that has each contact's \`priority\`: a whole number from 0 to ${highestPriority}, or blank for 0. Contacts with a higher priority are called first. Without it, no column has that meaning.`,
    }),
  ),
  additional_number_columns: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(200)))
      .check(Schema.isMaxLength(mostAdditional))
      .annotate({
        description: `The names of at most ${mostAdditional} columns with further numbers of the same person, in the order in which they are called, as JSON: \`["mobile","work"]\`. They become the contact's \`additional_numbers\`, and stay variables too. A cell may be blank. Without it, no column has that meaning.`,
      }),
  ),
})

export const formFields = {
  file: "contacts",
  known: new Set(Object.keys(CampaignForm.fields)),
  ignored: new Set<string>(campaignReadOnly),
}

/** The required fields: a blank one is a fault, and not left out. */
const texts = new Set(["name", "agent_id", "phone_number_id"])
/** The fields that are not text in JSON. Their text is read as a JSON value. */
const written = new Set([
  "max_concurrent_calls",
  "retries_per_contact",
  "retry_delay_seconds",
  "retry_by_outcome",
  "max_calls_per_minute",
  "calling_window",
  "quiet_after_answer_seconds",
  "required_consent",
  "redial_unknown",
  "callbacks_per_contact",
  "rule_packs",
  "caller_numbers",
  "local_presence",
  "number_rest",
  "additional_number_columns",
])

/** Reads the settings from the form's fields. Fails with every fault at once, each with a pointer to its field. */
export const settingsOf = Effect.fn("CampaignForm.settingsOf")(function* (fields: ReadonlyMap<string, string>) {
  const values: Record<string, unknown> = {}
  for (const [name, text] of fields) {
    // A form sends a field that was left blank as an empty text.
    if (text.trim() === "" && !texts.has(name)) continue
    values[name] = written.has(name) ? valueOf(text) : name === "default_country" ? text.trim().toUpperCase() : text
  }
  const form = yield* Schema.decodeUnknownEffect(CampaignForm)(values, {
    errors: "all",
    onExcessProperty: "error",
  }).pipe(Effect.mapError(({ issue }) => new Invalid({ errors: faultsOf(issue) })))
  return {
    name: form.name,
    agent_id: form.agent_id,
    phone_number_id: form.phone_number_id,
    max_concurrent_calls: form.max_concurrent_calls ?? 1,
    retries_per_contact: form.retries_per_contact ?? 0,
    retry_delay_seconds: form.retry_delay_seconds ?? 300,
    retry_by_outcome: form.retry_by_outcome ?? null,
    retry_time_of_day: form.retry_time_of_day ?? null,
    scheduled_at: typeof form.scheduled_at === "string" ? new Date(form.scheduled_at) : null,
    calling_window: form.calling_window ?? null,
    required_consent: form.required_consent ?? null,
    max_calls_per_minute: form.max_calls_per_minute ?? null,
    quiet_after_answer_seconds: form.quiet_after_answer_seconds ?? null,
    redial_unknown: form.redial_unknown ?? false,
    callbacks_per_contact: form.callbacks_per_contact ?? 0,
    rule_packs: form.rule_packs ?? [],
    subject: form.subject ?? null,
    opt_out_scope: form.opt_out_scope ?? "account",
    max_spend: canonicalOrNull(form.max_spend),
    caller_numbers: form.caller_numbers ?? [],
    local_presence: form.local_presence ?? false,
    number_rest: form.number_rest ?? null,
    duplicate_policy: form.duplicate_policy ?? "skip",
    default_country: form.default_country ?? null,
  } satisfies NewCampaign
})

/**
 * Reads a number, `true`, `false` or an object as strict JSON; any other text is kept as it is, and is refused later.
 */
const valueOf = (text: string): unknown =>
  faultOf(new TextEncoder().encode(text)) === undefined ? JSON.parse(text) : text

/** The columns that a JSON array names; undefined if the text is none. */
const columnsOf = (text: string): ReadonlyArray<string> | undefined => {
  const { additional_number_columns } = CampaignForm.fields
  const named = Schema.decodeUnknownOption(additional_number_columns.schema)(valueOf(text))
  return Option.isSome(named) && named.value.length > 0 ? named.value.map((name) => name.trim()) : undefined
}

/** The rules for the rows of the file. A wrong value refuses the whole form later, so its rows do not matter. */
export const rowRules = (fields: ReadonlyMap<string, string>): RowRules => {
  const policy = fields.get("duplicate_policy")
  return {
    default_country: fields.get("default_country")?.trim().toUpperCase(),
    duplicate_policy: Schema.is(DuplicatePolicy)(policy) ? policy : "skip",
    priority_column: fields.get("priority_column")?.trim() || undefined,
    additional_number_columns: columnsOf(fields.get("additional_number_columns") ?? ""),
  }
}
