/** Follows a campaign over its Server-Sent Events, and goes on where it was when the connection breaks. */
import { EventSourceParserStream } from "eventsource-parser/stream"
import { setTimeout as sleep } from "node:timers/promises"
import { type Parley, ParleyError } from "./parley.ts"

/** What the stream sends every two seconds. */
export interface Snapshot {
  readonly campaign_id: string
  readonly status: "draft" | "running" | "paused" | "completed" | "failed"
  readonly counts: Counts
  readonly active_calls: number
  readonly dialed: number
  /** Ended calls by outcome; a contact that was retried has several. */
  readonly outcomes: Record<string, number>
  readonly eta_seconds: number | null
  readonly waiting_for: string | null
  readonly cost: { readonly amount: number; readonly currency: string }
}

export interface Counts {
  readonly total: number
  readonly pending: number
  readonly in_progress: number
  readonly completed: number
  readonly failed: number
  readonly skipped: number
}

/** The server sends a comment every 15 seconds: a connection that is silent for longer than two of them is dead. */
const longestSilence = 35_000
const mostFailures = 10

/** Every snapshot, up to and with the one of the `end` event. */
export async function* follow(parley: Parley, campaignId: string): AsyncGenerator<Snapshot> {
  let lastEventId = ""
  let pause = 2_000
  for (let failures = 0; failures < mostFailures; failures++) {
    const connection = new AbortController()
    const watchdog = setTimeout(() => connection.abort(), longestSilence)
    try {
      const response = await parley.fetch(`/api/v1/campaigns/${campaignId}/events`, {
        headers: { accept: "text/event-stream", ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }) },
        signal: connection.signal,
      })
      // 204: the end was already seen. An EventSource of a browser stops by itself here.
      if (response.status === 204 || response.body === null) return
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new EventSourceParserStream({
          onComment: () => watchdog.refresh(),
          onRetry: (milliseconds) => {
            pause = milliseconds
          },
        }),
      )
      for await (const { id, event, data } of events) {
        watchdog.refresh()
        failures = 0
        if (id !== undefined) lastEventId = id
        yield JSON.parse(data) as Snapshot
        if (event === "end") return
      }
    } catch (cause) {
      // Parley's own refusal (404, 401 …) will not change by asking again; a broken connection will.
      if (cause instanceof ParleyError && cause.problem.status < 500) throw cause
    } finally {
      clearTimeout(watchdog)
      connection.abort()
    }
    await sleep(pause)
  }
  throw new Error(`The event stream of campaign ${campaignId} broke ${mostFailures} times without a word between.`)
}

/** Far longer than a call or a retry takes where the lab's phones ring 60 times as fast. */
const longestStandstill = 30_000

/** The last snapshot; each one goes to `show` as it comes. */
export const followToEnd = async (parley: Parley, campaignId: string, show: (snapshot: Snapshot) => void) => {
  let last: Snapshot | undefined
  let moved = Date.now()
  for await (const snapshot of follow(parley, campaignId)) {
    show(snapshot)
    if (snapshot.dialed !== last?.dialed || snapshot.active_calls !== last.active_calls) moved = Date.now()
    if (Date.now() - moved > longestStandstill) throw new Error("Nothing has happened in the campaign for 30 seconds.")
    last = snapshot
  }
  if (last === undefined) throw new Error("The campaign's stream ended without a snapshot.")
  return last
}
