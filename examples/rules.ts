/** A rule pack that refuses a call: a second campaign on the same subject to a person who was called three times today. */
import { type Contact, type ContactDetail, contactsOf, start } from "./campaign.ts"
import type { Parley } from "./parley.ts"

interface Refusal {
  readonly reason: string
  readonly until: string
  readonly record: {
    readonly rule: { readonly pack: string; readonly version: string; readonly title: string }
    readonly place: { readonly country: string; readonly state: string; readonly found_by: string }
  }
}

export const subject = "service appointments"
/** The folder of PARLEY_RULES_DIR. */
export const folder = `${import.meta.dirname}/rules`

/** Milliseconds until the first decision: one pass of the dialler. */
const longest = 20_000

const refusalIn = async (parley: Parley, campaignId: string): Promise<Refusal> => {
  for (const deadline = Date.now() + longest; Date.now() < deadline;) {
    const [contact] = await contactsOf(parley, campaignId)
    const { decisions = [] } = await parley.get<ContactDetail & { readonly decisions?: ReadonlyArray<Refusal> }>(
      `/api/v1/campaigns/${campaignId}/contacts/${contact?.id}`,
    )
    if (decisions[0] !== undefined) return decisions[0]
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error("No rule refused the call of the second campaign.")
}

/** Tries to call a person a fourth time. Returns why Parley does not. */
export const tryOnceMore = async (
  parley: Parley,
  contacts: ReadonlyArray<Contact>,
  line: { readonly agent_id: string; readonly phone_number_id: string },
): Promise<string> => {
  const tired = contacts.find(({ attempts }) => attempts === 3)
  if (tired === undefined) throw new Error("No contact was called three times.")
  const form = new FormData()
  const settings = { name: "Once more", ...line, subject, rule_packs: JSON.stringify(["house-rules"]) }
  for (const [name, value] of Object.entries(settings)) form.set(name, value)
  form.set("contacts", new Blob([`phone_number\n${tired.phone_number}\n`], { type: "text/csv" }), "one.csv")
  const response = await parley.fetch("/api/v1/campaigns", { method: "POST", body: form })
  const { id } = (await response.json()) as { readonly id: string }
  await start(parley, id)
  const { record, until } = await refusalIn(parley, id)
  await parley.post(`/api/v1/campaigns/${id}/stop`)
  const { place, rule } = record
  return `${tired.custom_fields["first_name"]} is not called a fourth time before ${until}.\n  ${rule.title} (${rule.pack}, version ${rule.version}; in ${place.country} ${place.state}, by the number's ${place.found_by}).`
}
