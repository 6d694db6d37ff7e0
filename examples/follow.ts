/** Follows a campaign over its server-sent events, and resumes where it was after the connection breaks. */
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
  /** Ended calls by outcome. A contact that was retried counts several times. */
  readonly outcomes: { readonly [outcome: string]: number }
  readonly eta_seconds: number | null
  readonly waiting_for: string | null
  readonly waiting: {
    readonly callbacks: { readonly due: number; readonly waiting: number; readonly next_at: string | null }
  }
  readonly cost: { readonly amount: number; readonly currency: string }
  /** Only if the campaign has a `max_spend`. */
  readonly spend?: { readonly spent: string; readonly reserved: string; readonly limit: string }
}

export interface Counts {
  readonly total: number
  readonly pending: number
  readonly in_progress: number
  readonly completed: number
  readonly failed: number
  readonly skipped: number
}

/** News for a follower: a snapshot, a broken connection, or its return. */
export type News<S> =
  | { readonly type: "snapshot"; readonly snapshot: S; readonly isEnd: boolean }
  | { readonly type: "cut"; readonly why: string }
  | { readonly type: "back"; readonly lastEventId: string }

export interface FollowOptions<S> {
  /** Parses a message. If it throws, the connection is dropped and opened again, as after any other noise. */
  readonly read?: (data: string) => S
  /** Ends the iteration at any moment. */
  readonly signal?: AbortSignal
  /** Milliseconds without any message after which the follower gives up, however often it has reconnected. */
  readonly patience?: number
  /**
   * Milliseconds. The server sends a comment every 15 seconds, so a connection that is silent for longer than two of
   * them is dead.
   */
  readonly longestSilence?: number
}

/** The most milliseconds between two attempts to reconnect. The pause doubles up to this. */
const longestPause = 30_000
/** Far more bytes than any message has. A longer one does not come from an event stream. */
const longestMessage = 1_048_576

/** A refusal by Parley itself (404, 401 …) is final. A broken connection or a "not now" is worth a retry. */
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

/** Yields every snapshot up to that of the `end` event, and the state of the connection. */
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
      // 204: the end has been seen already. A browser's EventSource stops here too.
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
    // Random, so that many followers do not all reconnect at the same moment.
    const next = Math.min(pause * 2 ** failures++, longestPause) * (0.5 + Math.random() / 2)
    await sleep(next, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  }
}

/** The cause of a failed fetch, since "fetch failed" says nothing. */
const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** Yields only the snapshots. */
export async function* follow(parley: Parley, campaignId: string): AsyncGenerator<Snapshot> {
  for await (const news of followClosely(parley, campaignId)) if (news.type === "snapshot") yield news.snapshot
}

/** Milliseconds. Far longer than a call or a retry takes in the lab, which is 60 times faster. */
const longestStandstill = 30_000

/** Returns the last snapshot. Passes each one to `show` as it arrives, and waits for it. */
export const followToEnd = async (
  parley: Parley,
  campaignId: string,
  show: (snapshot: Snapshot) => void | Promise<void>,
) => {
  let last: Snapshot | undefined
  let moved = Date.now()
  for await (const snapshot of follow(parley, campaignId)) {
    await show(snapshot)
    if (snapshot.dialed !== last?.dialed || snapshot.active_calls !== last.active_calls) moved = Date.now()
    if (Date.now() - moved > longestStandstill) throw new Error("Nothing has happened in the campaign for 30 seconds.")
    last = snapshot
  }
  if (last === undefined) throw new Error("The campaign's stream ended without a snapshot.")
  return last
}
