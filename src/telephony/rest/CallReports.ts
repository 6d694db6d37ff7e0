/** Waits for a carrier's reports on a call. */
import { Effect, Option, Stream, SubscriptionRef } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import type { CarrierCall, Words } from "../CarrierCalls.ts"
import type { Feed } from "../CarrierFeeds.ts"
import type { StreamPath } from "../stream/StreamPath.ts"
import type { Gone, LineEvent } from "../Telephony.ts"

/**
 * Waits for the first row for which `pick` returns a value, and returns that value; none after `patience` milliseconds.
 */
export const until = <A>(feed: Feed, patience: number, pick: (row: CarrierCall) => A | undefined) =>
  SubscriptionRef.changes(feed).pipe(
    Stream.map((row) => (row === null ? undefined : pick(row))),
    Stream.filter((picked) => picked !== undefined),
    Stream.runHead,
    Effect.timeoutOption(patience),
    Effect.map(Option.flatten),
  )

/** How an answered call ended; undefined while it lives. A call that ended without a reason counts as hung up. */
export const goneOf = ({ status }: CarrierCall): Gone | undefined => {
  if (!isTerminal(status)) return undefined
  return status === "completed" || status === "ended" ? "hung_up" : "lost"
}

/**
 * Passes on what the carrier reports outside of the stream: the end of the call, and the beep after a machine's
 * greeting. Words up to `heard_until`, in milliseconds since 1970, are old.
 */
export const tellBeside = (
  feed: Feed,
  path: StreamPath,
  beepIn: (words: Words) => LineEvent | null,
  heard_until: number,
  tell: (event: LineEvent) => void,
) => {
  let hasBeeped = false
  return SubscriptionRef.changes(feed).pipe(
    Stream.filter((row) => row !== null),
    Stream.runForEach((row) =>
      Effect.sync(() => {
        const news = row.words.filter(({ at }) => at > heard_until)
        const beep = news.map(beepIn).find((event) => event !== null)
        if (beep !== undefined && !hasBeeped) {
          hasBeeped = true
          tell(beep)
        }
        const how = goneOf(row)
        if (how !== undefined) path.leave(how)
      }),
    ),
  )
}
