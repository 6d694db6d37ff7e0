/** Reads the attempts of contacts whose retry is due, and says into which part of the day each retry goes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { zonesOfContact } from "../catalog/NumberZones.ts"
import type { CallingWindow } from "../domain/CallingWindow.ts"
import type { PlaceRetry } from "../domain/DialDecision.ts"
import { anotherPartAt, type PutToAnotherPart } from "../domain/TimeOfDay.ts"
import { uuids } from "../tenancy/Columns.ts"
import * as Ticks from "../tenancy/Ticks.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"

/** Undefined if no retry needs a place. Attempts whose calls retention has deleted are not known, and do not count. */
export const placeRetries = Effect.fn("RetryTimes.placeRetries")(function* (
  { retry_time_of_day }: Pick<DialCampaign, "retry_time_of_day">,
  window: CallingWindow | null,
  candidates: ReadonlyArray<Candidate>,
  now: Date,
) {
  const retries = candidates.filter(({ waits_for }) => waits_for === "retry_delay")
  if (retry_time_of_day === null || retries.length === 0) return undefined
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly contact_id: string; readonly began: Date }>`
    select contact_id, started_at as began from calls
    where contact_id = any(${uuids(retries.map(({ id }) => id))}) order by contact_id, attempt_number`
  const attempts = new Map<string, Array<number>>()
  for (const { began, contact_id } of rows) {
    const own = attempts.get(contact_id) ?? []
    attempts.set(contact_id, own)
    own.push(began.getTime())
  }
  const anotherPart = anotherPartAt(window, now)
  // Computed here with yields, because the plan of a pass does not yield: a thousand retries with 42 time zones each
  // take 80 ms or more.
  const places = new Map<string, PutToAnotherPart | null>()
  yield* Ticks.forEach(retries, ({ custom_fields, id, phone_number }) => {
    const zones = zonesOfContact(phone_number, custom_fields)
    places.set(id, anotherPart({ attempts: attempts.get(id) ?? [], zones }))
  })
  const place: PlaceRetry<Candidate> = ({ id }) => places.get(id) ?? null
  return place
})
