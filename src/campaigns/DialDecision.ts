/** Who of those whose turn it is may be called now, and the record of why (decisions §2, `attempt_log.decision`). Pure. */
import { type CallingWindow, type Verdict, verdict } from "../domain/CallingWindow.ts"
import type { Admission } from "../domain/Cap.ts"
import type { Pace } from "../domain/DialPlan.ts"
import type { Candidate, PutOff } from "./DialQueue.ts"
import { zonesOfContact } from "./NumberZones.ts"

/** Who is called now, and who is not. A number that stands twice in the batch is called once; the other waits its turn. */
export const sort = (offered: ReadonlyArray<Candidate>, free: number, window: CallingWindow | null, now: Date) => {
  const open: Array<Candidate> = []
  const closed: Array<PutOff> = []
  const never: Array<string> = []
  const suppressed: Array<string> = []
  const numbers = new Set<string>()
  const verdicts = new Map<string, Verdict>()
  for (const contact of offered) {
    if (open.length === free) break
    if (contact.suppressed) {
      suppressed.push(contact.id)
      continue
    }
    const say = window === null ? openAlways : verdictOf(verdicts, window, contact, now)
    if (say._tag === "Never") never.push(contact.id)
    else if (say._tag === "OpensAt") closed.push({ id: contact.id, until: say.at })
    else if (!numbers.has(contact.phone_number)) {
      numbers.add(contact.phone_number)
      open.push(contact)
    }
  }
  return { open, closed, never, suppressed }
}

const openAlways: Verdict = { _tag: "Open" }

/** The zones decide, and a list has few of them. */
const verdictOf = (known: Map<string, Verdict>, window: CallingWindow, contact: Candidate, now: Date): Verdict => {
  const zones = zonesIn(window, contact)
  const key = zones.join("&")
  const before = known.get(key)
  if (before !== undefined) return before
  const say = verdict(window, zones, now)
  known.set(key, say)
  return say
}

const zonesIn = (window: CallingWindow, { custom_fields, phone_number }: Candidate): ReadonlyArray<string> =>
  window.time_zone === "contact" ? zonesOfContact(phone_number, custom_fields) : [window.time_zone]

export interface Circumstances {
  readonly pace: Pace
  readonly retries_per_contact: number
  readonly usage: Admission["usage"]
  readonly window: CallingWindow | null
  readonly now: Date
}

/** As everything stood while the account's budget was locked: why this number was dialled then. */
export const decisionOf = (contact: Candidate, { now, pace, retries_per_contact, usage, window }: Circumstances) => ({
  rule: contact.attempts === 0 ? "first_attempt" : "retry",
  attempt: contact.attempts + 1,
  of: retries_per_contact + 1,
  slots: { used: pace.active_calls, limit: pace.max_concurrent_calls },
  caps: Object.fromEntries(Object.entries(usage).map(([cap, { limit, used }]) => [cap, { used, limit }])),
  window: window === null ? null : { ...window, zones: zonesIn(window, contact) },
  do_not_call: false,
  decided_at: now.toISOString(),
})
