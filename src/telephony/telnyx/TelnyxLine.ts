/**
 * The talk on a Telnyx call over its media stream, with the voices and the recogniser of this installation. Keys and
 * transfers are commands to Telnyx; the stream goes on beside them until the caller is connected elsewhere.
 */
import { Effect, Option, SubscriptionRef } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import type { TelnyxCredentials } from "../../domain/TelnyxConfig.ts"
import type { Feed } from "../CarrierFeeds.ts"
import { ringLimitSeconds } from "../rest/CallClosing.ts"
import { goneOf, tellBeside, until } from "../rest/CallReports.ts"
import * as SoundLine from "../SoundLine.ts"
import type { ExpectedStream } from "../stream/ExpectedStream.ts"
import type { DialRequest, Line } from "../Telephony.ts"
import type { TelnyxApi } from "./TelnyxApi.ts"
import { beepIn, failedStreamsIn, transferIn, transfersIn } from "./TelnyxEvent.ts"
import { streamingOf } from "./TelnyxStreaming.ts"
import { stateOf, type TelnyxUrls } from "./TelnyxUrls.ts"

/** How long the agent waits for a first word before it speaks, in milliseconds. */
const first_word_ms = 1_200
/**
 * Milliseconds that Telnyx has to open a stream, counted from the reported answer or from the order of another stream.
 */
export const streamsWithinMs = 8_000
/** How long a key takes, and the pause that `w` stands for, in milliseconds. */
const keyMs = { key: 300, w: 500, W: 1_000 }
/** The longest delay of a report, in milliseconds. */
const reportsWithinMs = 15_000

export interface AnsweredCall {
  readonly request: DialRequest
  /** Our number in this call. Transfers are dialled from it. */
  readonly own_number: string
  readonly api: TelnyxApi["Service"]
  readonly credentials: TelnyxCredentials
  readonly sid: string
  readonly feed: Feed
  readonly urls: TelnyxUrls
  readonly expected: ExpectedStream
  readonly equipment: SoundLine.SoundEquipment
  /**
   * The process before heard the words up to this time, in milliseconds since 1970, and its stream is gone. Null if this
   * process began the call.
   */
  readonly heard_until: number | null
}

export const make = Effect.fnUntraced(function* (call: AnsweredCall) {
  const { equipment, expected, feed, request } = call
  const { path } = expected
  const scope = yield* Effect.scope
  const streams = makeStreams(call)
  const isThere = call.heard_until === null && (yield* streams.isThere)
  if (!isThere && !(yield* streams.reopen)) {
    const row = yield* SubscriptionRef.get(feed)
    const how = row === null ? undefined : goneOf(row)
    if (how === undefined) yield* Effect.logWarning(noStream)
    path.leave(how ?? "lost")
  }
  const { account, language, model, voice } = request
  const options = { account, path, language, voice, model, first_word_ms, meetsMachines: true, onlooker: null }
  const line = yield* SoundLine.make(equipment, options)
  const transferred: Line = {
    ...line,
    // Another session of a voice model would not know the conversation.
    canBeLeft: line.modelVoice === undefined,
    attach: (listener) =>
      Effect.andThen(
        line.attach(listener),
        Effect.forkIn(tellBeside(feed, path, beepIn, call.heard_until ?? Number.NEGATIVE_INFINITY, listener), scope),
      ),
    sendDigits: (digits) => sendDigits(call, digits.replaceAll(/[^0-9*#A-DwW]/g, "")),
    transfer: makeTransfer(call, streams.reopen),
  }
  return transferred
})

const noStream = "Telnyx opened no media stream to this process; the call is ended"

/** Sends a command; false if Telnyx did not take it. */
const command = Effect.fnUntraced(function* (
  { api, credentials, request, sid }: AnsweredCall,
  action: string,
  body: Readonly<Record<string, string | number>>,
) {
  yield* request.confirmOwnership
  return yield* api.command(credentials, sid, action, body).pipe(
    Effect.as(true),
    Effect.catch((cause) =>
      Effect.as(Effect.logWarning("sending a call's next instruction to its carrier failed", cause), false),
    ),
  )
})

const makeStreams = (call: AnsweredCall) => {
  const { expected, feed, urls } = call
  const wordsNow = Effect.map(SubscriptionRef.get(feed), (row) => row?.words ?? [])

  /** Waits for the stream. Returns false if it does not come or the call is over. */
  const awaitStream = (failedBefore: number) =>
    Effect.raceFirst(
      Effect.as(expected.joined.await, true),
      until(feed, streamsWithinMs, (row) =>
        isTerminal(row.status) || failedStreamsIn(row.words) > failedBefore ? false : undefined,
      ).pipe(Effect.map(Option.getOrElse(() => false))),
    )

  /**
   * Orders another stream, in place of one that did not come or has ended. Returns false if it does not come either.
   */
  const reopen = Effect.gen(function* () {
    const row = yield* SubscriptionRef.get(feed)
    if (row !== null && isTerminal(row.status)) return false
    const failedBefore = failedStreamsIn(yield* wordsNow)
    const token = expected.issueToken(streamsWithinMs)
    const isTold = yield* command(call, "streaming_start", streamingOf(urls.stream, token))
    return isTold && (yield* awaitStream(failedBefore))
  })

  return { isThere: awaitStream(0), reopen }
}

/** Completes when Telnyx has played the keys, so that the agent's next words do not cover them. */
const sendDigits = Effect.fnUntraced(function* (call: AnsweredCall, digits: string) {
  if (digits === "" || !(yield* command(call, "send_dtmf", { digits }))) return
  const length = [...digits].reduce((ms, key) => ms + (key === "w" || key === "W" ? keyMs[key] : keyMs.key), 0)
  yield* Effect.sleep(length)
})

/** A transferred call stays live and keeps its slot while the two talk, because Telnyx counts it too. */
const makeTransfer = (call: AnsweredCall, reopen: Effect.Effect<boolean>) => {
  const { expected, feed, own_number, request, urls } = call
  const { path } = expected
  /** Of this process. A process before may have tried others, whose marks are known. */
  let transfers = 0

  /** The transfer failed and the caller stays. If the stream ended with the transfer, another one is opened. */
  const resume = Effect.gen(function* () {
    if (path.isConnected) path.expectStay()
    else if (!(yield* reopen)) path.leave("lost")
    return false
  })

  return Effect.fnUntraced(function* (target: string) {
    const row = yield* SubscriptionRef.get(feed)
    transfers = Math.max(transfers, transfersIn(row?.words ?? [])) + 1
    const mark = `t${transfers}`
    path.expectEnd()
    const isTold = yield* command(call, "transfer", {
      to: target,
      from: own_number,
      timeout_secs: ringLimitSeconds,
      // All webhooks of the new leg carry this state.
      target_leg_client_state: stateOf(request.call_id, mark),
      webhook_url: urls.events,
      webhook_url_method: "POST",
    })
    if (!isTold) return yield* resume
    const news = yield* until(feed, ringLimitSeconds * 1_000 + reportsWithinMs, (row) =>
      goneOf(row) === undefined ? transferIn(row.words, mark) : "gone",
    )
    const ending = Option.getOrElse(news, () => "failed" as const)
    if (ending === "failed") return yield* resume
    // Parley must not hear what the two say.
    path.close()
    if (ending === "bridged") yield* until(feed, request.max_call_seconds * 1_000, goneOf)
    return true
  })
}
