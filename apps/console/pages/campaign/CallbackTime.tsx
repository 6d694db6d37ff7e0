/** When a person is called back, on their own clock: "tomorrow 9:00 AM in New York". */
import { useZone } from "../../data/AccountPulse.ts"
import type { Contact } from "../../data/Contacts.ts"
import { useNow } from "../../shell/Clock.ts"
import { calledZone } from "../../words/CalledZone.ts"
import { placeOf, planned, utc } from "../../words/Times.ts"

type Promised = Pick<Contact, "callback_at" | "custom_fields" | "next_attempt_at">

export const CallbackTime = ({ contact }: { readonly contact: Promised }) => {
  const now = useNow()
  const own = calledZone(contact, useZone())
  const at = new Date(contact.next_attempt_at ?? contact.callback_at ?? now)
  return (
    <time dateTime={at.toISOString()} title={utc(at)}>
      {at <= now ? "now" : planned(at, now, own)} in {placeOf(own)}
    </time>
  )
}
