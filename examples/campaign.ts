/** A campaign: upload the contacts, start it, and save the results. */
import { randomUUID } from "node:crypto"
import { createWriteStream, openAsBlob } from "node:fs"
import { pipeline } from "node:stream/promises"
import { basename } from "node:path"
import type { Counts } from "./follow.ts"
import type { Page, Parley } from "./parley.ts"

export interface Campaign {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly counts: Counts
  readonly import: {
    readonly rows: number
    readonly accepted: number
    readonly duplicates: number
    readonly invalid: number
  }
}

export interface Contact {
  readonly id: string
  readonly phone_number: string
  readonly custom_fields: Record<string, string>
  readonly status: "pending" | "in_progress" | "completed" | "failed" | "skipped"
  readonly outcome: string | null
  readonly attempts: number
  readonly last_call_id: string | null
  readonly skip_reason: string | null
}

/** The response of `GET /api/v1/campaigns/{id}/contacts/{contact_id}`. */
export interface ContactDetail extends Contact {
  readonly attempt_log: ReadonlyArray<{
    readonly outcome: string | null
    readonly started_at: string
    /** Why the attempt was placed at that time. */
    readonly decision: { readonly rule: "first_attempt" | "retry" | "callback"; readonly due_at: string }
  }>
}

/**
 * Creates a draft with the contacts of a file. Every column but `phone_number` is a variable of the agent's templates.
 */
export const upload = async (
  parley: Parley,
  contacts: string,
  settings: Record<string, string | number>,
): Promise<Campaign> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(settings)) form.set(name, String(value))
  form.set("contacts", await openAsBlob(contacts, { type: "text/csv" }), basename(contacts))
  const response = await parley.fetch("/api/v1/campaigns", {
    method: "POST",
    body: form,
    // Repeated with the same key, the request gets the first response again and creates no second campaign.
    headers: { "idempotency-key": randomUUID() },
  })
  return (await response.json()) as Campaign
}

/** Fails with 409 `budget_exceeded` if this campaign and the running ones ask for more calls at once than allowed. */
export const start = (parley: Parley, campaignId: string) =>
  parley.post<Campaign>(`/api/v1/campaigns/${campaignId}/start`)

/** All contacts in the order of the file, read in pages of 100. */
export const contactsOf = async (parley: Parley, campaignId: string): Promise<ReadonlyArray<Contact>> => {
  const contacts: Array<Contact> = []
  for (let page = 0; ; page++) {
    const { items, total } = await parley.get<Page<Contact>>(`/api/v1/campaigns/${campaignId}/contacts?page=${page}`)
    contacts.push(...items)
    if (items.length === 0 || contacts.length >= total) return contacts
  }
}

/** Saves a CSV file with one row per contact, including what the agent recorded in the call. */
export const saveResults = async (parley: Parley, campaignId: string, file: string) => {
  const response = await parley.fetch(`/api/v1/campaigns/${campaignId}/results.csv`)
  if (response.body === null) throw new Error("The results came without a body.")
  await pipeline(response.body, createWriteStream(file))
}
