/** People who asked the agent to be called back. The demo does not wait until their time: it moves the callbacks to now. */
import type { Contact } from "./campaign.ts"
import type { Snapshot } from "./follow.ts"
import type { Page, Parley } from "./parley.ts"

export interface CalledBack extends Contact {
  /** When the agent has promised the call. */
  readonly callback_at: string
}

/** Whether the campaign has nothing left but callbacks, and the next one is more than a minute away. */
export const waitsForCallbacks = ({ counts, waiting }: Snapshot): boolean => {
  const { next_at, waiting: promised } = waiting.callbacks
  if (counts.in_progress > 0 || next_at === null || counts.pending !== promised) return false
  return Date.parse(next_at) > Date.now() + 60_000
}

/** Milliseconds. The new time has to be in the future when the request arrives. */
const soon = 1_500

/** Moves the first 100 callbacks of the campaign to the present. Returns them as they were promised, first one first. */
export const callBackNow = async (parley: Parley, campaignId: string): Promise<ReadonlyArray<CalledBack>> => {
  const campaign = `/api/v1/campaigns/${campaignId}`
  const { items } = await parley.get<Page<CalledBack>>(`${campaign}/callbacks`)
  for (const { id } of items) {
    await parley.put(`${campaign}/contacts/${id}/callback`, { at: new Date(Date.now() + soon).toISOString() })
  }
  return items
}

/** Such as "Ada, on Saturday, November 21 at 3:00 PM in America/Chicago". */
export const describeCallback = ({ callback_at, custom_fields }: CalledBack): string => {
  const timeZone = custom_fields["time_zone"] ?? "UTC"
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "long",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  })
  return `${custom_fields["first_name"] ?? "one"}, on ${format.format(new Date(callback_at))} in ${timeZone}`
}
