/**
 * Decides what becomes of each row of a batch of contacts, from what the campaign has already. Pure: no I/O, no clock.
 */
import {
  type AddedContact,
  type AddedContacts,
  countResults,
  mostContacts,
  type NewContact,
  type RefusedBecause,
} from "../../domain/ContactChange.ts"
import type { ContactId, ContactStatus } from "../../domain/Contact.ts"
import { withoutRepeats } from "../../domain/AdditionalNumbers.ts"
import type { E164 } from "../../domain/E164.ts"
import { numberFaultOf, rowLimits } from "./ListHeader.ts"

/** A row of the batch. Its number is undefined if it is not possible. */
export interface Addition {
  readonly contact: NewContact
  readonly number: E164 | undefined
  /** Its further numbers; undefined if the row names none, and null if one of them is not possible. */
  readonly others?: ReadonlyArray<E164> | null | undefined
}

/** A contact of the campaign that has the `external_id` of a row. `has_same_…` compares it with that row. */
export interface Known {
  readonly id: ContactId
  readonly external_id: string
  readonly status: ContactStatus
  readonly attempts: number
  readonly has_same_number: boolean
  readonly has_same_fields: boolean
  readonly priority: number
  readonly additional_numbers: ReadonlyArray<E164>
}

/** What the campaign has. */
export interface PresentList {
  readonly total: number
  readonly columns: ReadonlyArray<string>
  readonly default_country: string | undefined
  readonly known: ReadonlyArray<Known>
  /** The contacts that have the numbers of the batch. Empty if the campaign keeps duplicates. */
  readonly owners: ReadonlyMap<string, ContactId>
  readonly keepsDuplicates: boolean
}

/** A row to write: a new contact, or the new state of a known one. */
export interface WrittenContact {
  readonly id: ContactId
  readonly phone_number: E164
  readonly external_id: string | null
  readonly priority: number
  readonly additional_numbers: ReadonlyArray<E164>
  readonly custom_fields: Readonly<Record<string, string>>
}

export interface AdditionPlan {
  readonly report: AddedContacts
  readonly created: ReadonlyArray<WrittenContact>
  readonly updated: ReadonlyArray<WrittenContact>
  readonly columns: ReadonlyArray<string>
}

const details: Record<Exclude<RefusedBecause, "invalid_phone_number">, string> = {
  invalid_additional_number: "one of the additional_numbers is not a possible phone number",
  too_many_fields: `the contacts of the campaign would have more than ${rowLimits.cells - 1} different custom fields`,
  campaign_full: `the campaign has ${mostContacts} contacts. Add this one to another campaign`,
  in_progress: "the contact is in a call. Send the row again when the call has ended",
  already_called: "the contact was called under its present number and keeps it",
  settled: "the contact is completed, failed or skipped, and is not dialled again",
}

export const planAdditions = (
  additions: ReadonlyArray<Addition>,
  present: PresentList,
  nextId: () => ContactId,
): AdditionPlan => {
  const { default_country, keepsDuplicates, total } = present
  const known = new Map(present.known.map((contact) => [contact.external_id, contact]))
  const owners = new Map(present.owners)
  const columns = new Set(present.columns)
  /** The contacts of the rows before. */
  const sent = new Map<string, ContactId | null>()
  const created: Array<WrittenContact> = []
  const updated: Array<WrittenContact> = []

  const judge = ({ contact, number, others }: Addition): Judged => {
    const { custom_fields = {}, external_id = null } = contact
    if (external_id !== null && sent.has(external_id)) return ["duplicate", sent.get(external_id) ?? null]
    const before = external_id === null ? undefined : known.get(external_id)
    if (number === undefined) return ["refused", before?.id ?? null, "invalid_phone_number"]
    if (others === null) return ["refused", before?.id ?? null, "invalid_additional_number"]
    const priority = contact.priority ?? before?.priority ?? 0
    const additional_numbers = withoutRepeats(number, others ?? before?.additional_numbers ?? [])
    if (before !== undefined && isSame(before, priority, additional_numbers)) return ["unchanged", before.id]
    const obstacle = before === undefined ? undefined : obstacleOf(before)
    if (obstacle !== undefined) return ["refused", before?.id ?? null, obstacle]
    const owner = keepsDuplicates ? undefined : owners.get(number)
    if (owner !== undefined && owner !== before?.id) return ["duplicate", owner]
    const names = Object.keys(custom_fields).filter((name) => !columns.has(name))
    if (columns.size + names.length >= rowLimits.cells) return ["refused", before?.id ?? null, "too_many_fields"]
    if (before === undefined && total + created.length >= mostContacts) return ["refused", null, "campaign_full"]
    for (const name of names) columns.add(name)
    const written = {
      id: before?.id ?? nextId(),
      phone_number: number,
      external_id,
      priority,
      additional_numbers,
      custom_fields,
    }
    owners.set(number, written.id)
    ;(before === undefined ? created : updated).push(written)
    return [before === undefined ? "created" : "updated", written.id]
  }

  const items = additions.map((addition): AddedContact => {
    const [result, contact_id, reason = null] = judge(addition)
    const { external_id = null, phone_number } = addition.contact
    if (external_id !== null && !sent.has(external_id)) sent.set(external_id, contact_id)
    const detail =
      reason === null
        ? null
        : reason === "invalid_phone_number"
          ? numberFaultOf(phone_number, default_country).detail
          : details[reason]
    return { result, contact_id, external_id, reason, detail }
  })
  return { report: countResults(items), created, updated, columns: [...columns] }
}

type Judged = readonly [result: AddedContact["result"], contact: ContactId | null, reason?: RefusedBecause]

const isSame = (before: Known, priority: number, numbers: ReadonlyArray<E164>): boolean =>
  before.has_same_number &&
  before.has_same_fields &&
  before.priority === priority &&
  before.additional_numbers.join() === numbers.join()

/** Why a known contact cannot be changed as its row says. */
const obstacleOf = ({ attempts, has_same_number, status }: Known): RefusedBecause | undefined => {
  if (status === "in_progress") return "in_progress"
  if (status !== "pending") return "settled"
  return attempts > 0 && !has_same_number ? "already_called" : undefined
}
