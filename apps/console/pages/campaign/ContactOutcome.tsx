/** A contact's state as a word and a shape, and its time. */
import type { Contact } from "../../data/Contacts.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { moment } from "../../words/Times.ts"

export const ContactOutcome = ({ contact }: { readonly contact: Pick<Contact, "status" | "outcome"> }) => {
  const { outcome, status } = contact
  if (status === "in_progress") return <OutcomeWord of="in_call" />
  if (status === "skipped") return <OutcomeWord of="skipped" />
  return outcome === null ? <OutcomeWord of="not_called" /> : <OutcomeWord of={outcome} />
}

const skips = {
  stopped: "stopped",
  do_not_call: "do not call",
  no_consent: "no consent",
  outside_window: "hours",
  rule: "rule",
  erased: "erased",
  withdrawn: "withdrawn",
  final_disposition: "final disposition",
} as const

/** "now", the time of the next attempt, the time of the last one, or why there is none. */
export const whenWords = (contact: Contact, now: Date, zone: string): string => {
  const { attempts, next_attempt_at, skip_reason, status, updated_at } = contact
  if (status === "in_progress") return "now"
  if (skip_reason !== null) return skips[skip_reason]
  if (status === "pending")
    return next_attempt_at === null || attempts === 0 ? "" : moment(new Date(next_attempt_at), now, zone)
  return moment(new Date(updated_at), now, zone)
}
