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
  readonly outcomes: { readonly [outcome: string]: number }
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

/** What a follower is told: the campaign moved on, the connection broke, or it is back. */
export type News<S> =
  | { readonly type: "snapshot"; readonly snapshot: S; readonly isEnd: boolean }
  | { readonly type: "cut"; readonly why: string }
  | { readonly type: "back"; readonly lastEventId: string }

export interface FollowOptions<S> {
  /** What a message says; one that cannot be read breaks the connection, as any other noise on the line does. */
  readonly read?: (data: string) => S
  /** Ends it, at whatever moment. */
  readonly signal?: AbortSignal
  /** It gives up when nothing was heard for so long, however often it asked. */
  readonly patience?: number
  /** The server sends a comment every 15 seconds: what is silent for longer than two of them is dead. */
  readonly longestSilence?: number
}

/** The pause before it asks again doubles up to this. */
const longestPause = 30_000
/** Far more than any message has: what goes on for longer is no stream of events. */
const longestMessage = 1_048_576

/** Parley's own refusal (404, 401 …) will not change by asking again; a broken connection or "not now" will. */
const isFinal = (cause: unknown) =>
  cause instanceof ParleyError &&
  cause.problem.code !== "not_parley" &&
  cause.problem.status < 500 &&
  cause.problem.status !== 429

export class StreamLost extends Error {
  constructor(campaignId: string, why: string) {
    super(`The event stream of campaign ${campaignId} cannot be had: ${why}`)
    this.name = "StreamLost"
  }
}

/** Every snapshot, up to and with the one of the `end` event; and how the connection fares. */
export async function* followClosely<S = Snapshot>(
  parley: Parley,
  campaignId: string,
  options: FollowOptions<S> = {},
): AsyncGenerator<News<S>> {
  const { longestSilence = 35_000, patience = 300_000, read = JSON.parse, signal } = options
  let lastEventId = ""
  let pause = 2_000
  let failures = 0
  let isCut = false
  let heard = performance.now()
  const isOver = () => signal?.aborted === true
  while (!isOver()) {
    const connection = new AbortController()
    const watchdog = setTimeout(
      () => connection.abort(new Error(`nothing was heard for ${longestSilence / 1_000} s`)),
      longestSilence,
    )
    const hear = () => {
      watchdog.refresh()
      heard = performance.now()
      failures = 0
    }
    let why = "the server closed it"
    try {
      const response = await parley.fetch(`/api/v1/campaigns/${campaignId}/events`, {
        headers: { accept: "text/event-stream", ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }) },
        signal: signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]),
      })
      // 204: the end was already seen. An EventSource of a browser stops by itself here.
      if (response.status === 204 || response.body === null) return
      const type = response.headers.get("content-type") ?? "nothing"
      if (!type.startsWith("text/event-stream")) throw new Error(`it answered ${type}, not events`)
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new EventSourceParserStream({
          maxBufferSize: longestMessage,
          onComment: hear,
          onRetry: (milliseconds) => {
            pause = milliseconds
          },
        }),
      )
      for await (const { id, event, data } of events) {
        const snapshot: S = read(data)
        hear()
        if (isCut) yield { type: "back", lastEventId }
        isCut = false
        if (id !== undefined) lastEventId = id
        yield { type: "snapshot", snapshot, isEnd: event === "end" }
        if (event === "end") return
      }
    } catch (cause) {
      if (isFinal(cause)) throw cause
      const reason = connection.signal.aborted ? connection.signal.reason : cause
      why = reason instanceof Error ? reasonOf(reason) : String(reason)
    } finally {
      clearTimeout(watchdog)
      connection.abort()
    }
    if (isOver()) return
    if (performance.now() - heard > patience) throw new StreamLost(campaignId, why)
    if (!isCut) yield { type: "cut", why }
    isCut = true
    // Not all at the same moment, where many follow.
    const next = Math.min(pause * 2 ** failures++, longestPause) * (0.5 + Math.random() / 2)
    await sleep(next, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  }
}

/** Of a failed fetch, what stands behind it: "fetch failed" says nothing. */
const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** The snapshots alone. */
export async function* follow(parley: Parley, campaignId: string): AsyncGenerator<Snapshot> {
  for await (const news of followClosely(parley, campaignId)) if (news.type === "snapshot") yield news.snapshot
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
