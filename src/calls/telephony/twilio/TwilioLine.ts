/**
 * The talk on a call over Twilio, with Twilio's own voice and recogniser, until its media streams are spoken here: a
 * sentence is said to its end (what is said meanwhile is not heard), then the other side is listened to.
 */
import { Clock, Effect, Option, Stream, SubscriptionRef } from "effect"
import { isTerminal } from "../../../domain/CarrierReport.ts"
import type { TwilioCredentials } from "../../../domain/TwilioConfig.ts"
import type { CarrierCall } from "../../CarrierCalls.ts"
import type { Feed } from "../../CarrierFeeds.ts"
import type { DialRequest, Gone, Heard, Line, Said } from "../Telephony.ts"
import * as Twiml from "./Twiml.ts"
import { reportOf, type TwilioApi } from "./TwilioApi.ts"
import { machineMark, type TwilioUrls } from "./TwilioUrls.ts"

/** Words a second of Twilio's voices, for a limit on waiting and for what was heard of a sentence that broke off. */
const wordsPerSecond = 2.6
const spokenMs = (text: string) => (text.split(/\s+/u).length / wordsPerSecond) * 1_000
const heardWithin = (text: string, ms: number) =>
  text
    .split(/\s+/u)
    .slice(0, Math.floor((ms / 1_000) * wordsPerSecond))
    .join(" ")

/** A sentence whose end nobody reports is taken as said after twice its length and this. */
const reportsWithinMs = 10_000

/** Twilio's error of an instruction for a call that is over. */
const notInProgress = 21_220

/** As Twilio takes them; `w` is half a second. */
const unplayable = /[^0-9*#w]/g

export interface Answered {
  readonly request: DialRequest
  readonly api: TwilioApi["Service"]
  readonly of: TwilioCredentials
  readonly sid: string
  readonly feed: Feed
  readonly urls: TwilioUrls
  readonly locale: string
  /** Keeps what a look-up told. */
  readonly looked: (report: ReturnType<typeof reportOf>) => Effect.Effect<void>
}

/** The first row for which `pick` gives something; none within `patience` milliseconds is none. */
export const until = <A>(feed: Feed, patience: number, pick: (row: CarrierCall) => A | undefined) =>
  SubscriptionRef.changes(feed).pipe(
    Stream.map((row) => (row === null ? undefined : pick(row))),
    Stream.filter((picked) => picked !== undefined),
    Stream.runHead,
    Effect.timeoutOption(patience),
    Effect.map(Option.flatten),
  )

export const make = Effect.fnUntraced(function* ({ api, feed, locale, looked, of, request, sid, urls }: Answered) {
  const answeredAt = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - answeredAt)
  let steps = 0
  /** How many of the words were taken notice of. */
  let taken = 0

  const goneIn = ({ status }: CarrierCall): Gone | undefined =>
    isTerminal(status) ? (status === "completed" ? "hung_up" : "lost") : undefined

  /** New instructions; and when the mark behind them is passed, or the call is over. Null: neither was heard of. */
  const instruct = Effect.fnUntraced(function* (kind: string, twiml: (next: string) => string, patience: number) {
    const mark = `${kind}${++steps}`
    yield* request.mine
    const sent = yield* Effect.result(api.update(of, sid, { Twiml: twiml(urls.talk(mark)) }))
    if (sent._tag === "Failure") {
      // It has just ended, and the report of that is on its way.
      const isOver = sent.failure._tag === "TwilioRefused" && sent.failure.code === notInProgress
      if (!isOver) yield* Effect.logWarning("a call could not be told how to go on", sent.failure)
      yield* Effect.ignore(Effect.flatMap(api.find(of, sid), (resource) => looked(reportOf(resource))))
      const over = yield* until(feed, 0, goneIn)
      return { gone: Option.getOrElse(over, (): Gone => "lost") }
    }
    return yield* until(feed, patience, (row) => {
      const passed = row.words.find((words) => words.mark === mark)
      if (passed !== undefined) return { passed }
      const gone = goneIn(row)
      return gone === undefined ? undefined : { gone }
    }).pipe(Effect.map(Option.getOrNull))
  })

  const hear = Effect.fnUntraced(function* (patience: number): Effect.fn.Return<Heard> {
    const heard = yield* until(feed, patience, (row): Heard | undefined => {
      for (const [at, words] of row.words.entries()) {
        const isBeep = words.mark === machineMark && words.text.startsWith("machine_end")
        if (at < taken || words.text === "" || !(isBeep || isHeard(words.mark))) continue
        taken = at + 1
        if (isBeep) return { _tag: "Beep" }
        const ended_ms = Math.max(0, words.at - answeredAt)
        const started_ms = Math.max(0, Math.round(ended_ms - spokenMs(words.text)))
        return { _tag: "Utterance", text: words.text, started_ms, ended_ms }
      }
      const how = goneIn(row)
      return how === undefined ? undefined : { _tag: "Gone", how }
    })
    return Option.getOrElse(heard, (): Heard => ({ _tag: "Silence" }))
  })

  const say = Effect.fnUntraced(function* (text: string): Effect.fn.Return<Said> {
    const started_ms = yield* elapsed
    const heard: Array<string> = []
    for (const piece of Twiml.pieces(text)) {
      const began = yield* elapsed
      const limit = spokenMs(piece) * 2 + reportsWithinMs
      const step = yield* instruct("s", (next) => Twiml.say(piece, next, locale), limit)
      const ended_ms = yield* elapsed
      if (step !== null && "gone" in step) {
        heard.push(heardWithin(piece, ended_ms - began))
        return { heard: heard.join(" ").trim(), started_ms, ended_ms, interrupted: false, gone: step.gone }
      }
      heard.push(piece)
    }
    return { heard: heard.join(" "), started_ms, ended_ms: yield* elapsed, interrupted: false, gone: null }
  })

  const line: Line = {
    speed: 1,
    elapsed,
    hear,
    say,
    sendDigits: (digits) =>
      Effect.asVoid(
        instruct(
          "p",
          (next) => Twiml.play(digits.replaceAll(unplayable, ""), next),
          digits.length * 1_000 + reportsWithinMs,
        ),
      ),
    // The call, and its slot, live on while the two talk: the carrier counts it too.
    transfer: (target) =>
      Effect.map(
        instruct("d", (next) => Twiml.dial(target, next), request.max_call_seconds * 1_000),
        (step) => step !== null && ("gone" in step || step.passed.text === "completed"),
      ),
  }
  return line
})

/** `s3` says that a sentence is over, `s3.1` what was heard after it. */
const isHeard = (mark: string) => mark.includes(".")
