/** Why a contact of a preflight would never be called, as a sentence for people. */
import { type CallingWindow, zonesIn } from "./CallingWindow.ts"
import type { PreflightSkipped } from "./Preflight.ts"
import type { Waiting } from "./PreflightQueue.ts"
import type { AppliedRule } from "./Rules.ts"

const details = {
  do_not_call: "The number is on the do-not-call list.",
  no_consent: "The number has no consent as the campaign requires it.",
}

/** `contact` is the contact with the number whose refusal counts, and `rule` the rule that refuses it, if one does. */
export const skippedBecause = (
  contact: Waiting,
  reason: PreflightSkipped["reason"],
  rule: AppliedRule | undefined,
  window: CallingWindow | null,
): PreflightSkipped => {
  const { id: contact_id, phone_number, position } = contact
  const fixed = reason === "do_not_call" || reason === "no_consent" ? details[reason] : whyNever(contact, window)
  const why = rule === undefined ? fixed : whyRefused(rule, contact)
  const others = (contact.lines?.length ?? 1) - 1
  const detail = others === 0 ? why : `${why} None of the contact's other numbers may be called either.`
  return { contact_id, position, phone_number, reason, detail }
}

const whyNever = ({ zones }: Waiting, window: CallingWindow | null): string => {
  const said = window === null ? [] : zonesIn(window, () => zones)
  return said.length === 0
    ? "The time zone of the number is unknown."
    : `It may be in any of ${said.join(", ")}, and the window is never open in all of them at once.`
}

const whyRefused = ({ pack, rule, title }: AppliedRule, { whereabouts }: Waiting): string => {
  const unknown = whereabouts?.zones.length === 0 ? " The time zone of the number is unknown." : ""
  return `The rule ${rule} of ${pack} never permits the call: ${title}.${unknown}`
}
