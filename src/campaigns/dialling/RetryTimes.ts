/** Reads the attempts of contacts whose retry is due, and says into which part of the day each retry goes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { zonesOfContact } from "../../catalog/NumberZones.ts"
import { type BestGrounds, bestPartAt } from "../../domain/BestTimeOfDay.ts"
import type { CallingWindow } from "../../domain/CallingWindow.ts"
import type { PlaceRetry } from "../../domain/DialDecision.ts"
import { anotherPartAt, type MovedRetry } from "../../domain/TimeOfDay.ts"
import { uuids } from "../../tenancy/Columns.ts"
import * as Ticks from "../../tenancy/Ticks.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"
import * as PartDays from "./PartDays.ts"

/** Why a retry is dialled in its part of the day; undefined unless the campaign chooses the best part. */
export type GroundsOf = (contact: Candidate) => BestGrounds | undefined

export interface RetryTimes {
  readonly place: PlaceRetry<Candidate>
  readonly groundsOf: GroundsOf
}

/** Undefined if no retry needs a place. Attempts whose calls retention has deleted are not known, and do not count. */
export const placeRetries = Effect.fn("RetryTimes.placeRetries")(function* (
  campaign: Pick<DialCampaign, "retry_time_of_day">,
  window: CallingWindow | null,
  candidates: ReadonlyArray<Candidate>,
  now: Date,
) {
  const { retry_time_of_day } = campaign
  if (retry_time_of_day === null) return undefined
  const retries = candidates.filter(({ waits_for }) => waits_for === "retry_delay")
  const places = new Map<string, MovedRetry>()
  const grounds = new Map<string, BestGrounds>(retry_time_of_day === "best" ? yield* readGrounds(candidates) : [])
  const times: RetryTimes = {
    place: ({ id }) => places.get(id) ?? null,
    groundsOf: ({ id }) => grounds.get(id),
  }
  if (retries.length === 0) return grounds.size === 0 ? undefined : times
  const attempts = yield* readAttempts(retries)
  // Computed here with yields, because the plan of a pass does not yield: a thousand retries with 42 time zones each
  // take 80 ms or more.
  if (retry_time_of_day === "rotate") {
    const anotherPart = anotherPartAt(window, now)
    yield* Ticks.forEach(retries, ({ custom_fields, id, phone_number }) => {
      const zones = zonesOfContact(phone_number, custom_fields)
      const put = anotherPart({ attempts: attempts.get(id) ?? [], zones })
      if (put !== null) places.set(id, put)
    })
    return times
  }
  const bestPart = bestPartAt(window, yield* PartDays.read(campaign), now)
  const past = yield* PartDays.readPast(
    retries.map(({ phone_number }) => phone_number),
    now,
  )
  yield* Ticks.forEach(retries, ({ custom_fields, id, phone_number }) => {
    const zones = zonesOfContact(phone_number, custom_fields)
    const best = bestPart({ attempts: attempts.get(id) ?? [], past: past.get(phone_number) ?? [], zones })
    if (best === null) return
    grounds.set(id, best.grounds)
    if (best.put !== null) places.set(id, best.put)
  })
  return times
})

/** When the attempts of each contact began, in milliseconds. */
const readAttempts = Effect.fnUntraced(function* (retries: ReadonlyArray<Candidate>) {
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
  return attempts
})

/** Why the retries that waited for their part of the day were put off, from the records of those decisions. */
const readGrounds = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
  const placed = candidates.filter(({ waits_for }) => waits_for === "time_of_day")
  if (placed.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly contact_id: string; readonly grounds: BestGrounds }>`
    select contact_id, record -> 'time_of_day' as grounds from decisions
    where contact_id = any(${uuids(placed.map(({ id }) => id))}) and reason = 'time_of_day'
      and record #> '{time_of_day,because}' is not null`
  return rows.map(({ contact_id, grounds }) => [contact_id, grounds] as const)
})
