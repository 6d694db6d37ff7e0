/**
 * The talk on a Twilio call, with Twilio's own voice and recogniser, until media streams are supported: the agent's
 * words are said to their end (what is said meanwhile is not heard), then Twilio listens to the other side.
 */
import { Clock, Effect, Latch, Option, Semaphore, Stream, SubscriptionRef } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { aloud } from "../../speech/Aloud.ts"
import type { Position } from "../../speech/Playout.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import type { Feed } from "../CarrierFeeds.ts"
import { wholeUtterances } from "../Manners.ts"
import type { DialRequest, Gone, Line, LineEvent, Piece } from "../Telephony.ts"
import { reportOf, type TwilioApi } from "./TwilioApi.ts"
import { machineMark, type TwilioUrls } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/**
 * Words a second of Twilio's voices, to limit the waiting and to estimate how much was heard of a broken-off utterance.
 */
const wordsPerSecond = 2.6
const spokenMs = (text: string) => (text.split(/\s+/u).length / wordsPerSecond) * 1_000

/** A sentence whose end is not reported counts as said after twice its length plus this. */
const reportsWithinMs = 10_000

/** Twilio's error of an instruction for a call that is over. */
const notInProgress = 21_220

/** Characters that Twilio does not take; `w` is half a second. */
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
  readonly keepLookup: (report: ReturnType<typeof reportOf>) => Effect.Effect<void>
}

/** The first row for which `pick` returns a value; none after `patience` milliseconds without one. */
export const until = <A>(feed: Feed, patience: number, pick: (row: CarrierCall) => A | undefined) =>
  SubscriptionRef.changes(feed).pipe(
    Stream.map((row) => (row === null ? undefined : pick(row))),
    Stream.filter((picked) => picked !== undefined),
    Stream.runHead,
    Effect.timeoutOption(patience),
    Effect.map(Option.flatten),
  )

export const make = Effect.fnUntraced(function* ({ api, feed, locale, keepLookup, of, request, sid, urls }: Answered) {
  const answeredAt = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - answeredAt)
  let steps = 0
  /** How many of the words were taken notice of. */
  let taken = 0

  const goneIn = ({ status }: CarrierCall): Gone | undefined =>
    isTerminal(status) ? (status === "completed" ? "hung_up" : "lost") : undefined

  /** One instruction at a time: a new one ends the previous one. */
  const instruction = Semaphore.makeUnsafe(1)
  /** Sends instructions, and returns when their mark is passed or the call is over. Null if neither was reported. */
  const instruct = Effect.fnUntraced(function* (
    kind: string,
    twiml: (next: string, mark: string) => string,
    patience: number,
  ) {
    const mark = `${kind}${++steps}`
    yield* request.mine
    const sent = yield* Effect.result(api.update(of, sid, { Twiml: twiml(urls.talk(mark), mark) }))
    if (sent._tag === "Failure") {
      // It has just ended, and the report of that is on its way.
      const isOver = sent.failure._tag === "TwilioRefused" && sent.failure.code === notInProgress
      if (!isOver) yield* Effect.logWarning("telling a carrier's call how to continue failed", sent.failure)
      yield* Effect.ignore(Effect.flatMap(api.find(of, sid), (resource) => keepLookup(reportOf(resource))))
      const over = yield* until(feed, 0, goneIn)
      return { gone: Option.getOrElse(over, (): Gone => "lost") }
    }
    return yield* until(feed, patience, (row) => {
      const passed = row.words.find((words) => words.mark === mark)
      if (passed !== undefined) return { passed }
      const gone = goneIn(row)
      return gone === undefined ? undefined : { gone }
    }).pipe(Effect.map(Option.getOrNull))
  }, instruction.withPermits(1))

  const waiting: Array<Piece> = []
  const arrival = Latch.makeUnsafe(false)
  /** The pieces of the current Say. */
  let saying: { readonly pieces: ReadonlyArray<Piece>; readonly started_ms: number; readonly mark: string } | null =
    null
  let listener: (event: LineEvent) => void = () => {}
  let goneAt: number | null = null

  /** How far it has come, estimated: Twilio reports only its end. */
  const positions = (at: number): ReadonlyArray<Position> => {
    let started_ms = saying?.started_ms ?? 0
    return (saying?.pieces ?? []).map(({ id, text }) => {
      const length_ms = Math.round(spokenMs(text))
      const position = { piece: id, started_ms, length_ms, played_ms: clamp(at - started_ms, length_ms) }
      started_ms += length_ms
      return position
    })
  }

  /** It was said to its end. */
  const finishSaying = (at: number) => {
    const pieces = positions(at)
    saying = null
    for (const [index, { length_ms, piece, started_ms }] of pieces.entries()) {
      const isLast = index === pieces.length - 1
      const ended_ms = isLast ? at : Math.min(started_ms + length_ms, at)
      listener({ _tag: "Played", piece, started_ms: Math.min(started_ms, at), ended_ms })
    }
  }

  const leave = (how: Gone, at: number) => {
    if (goneAt !== null) return
    goneAt = at
    const begun = positions(at)
    for (const { length_ms, piece, played_ms, started_ms } of begun) {
      if (played_ms < length_ms) break
      listener({ _tag: "Played", piece, started_ms, ended_ms: started_ms + length_ms })
    }
    listener({ _tag: "Gone", how })
  }

  /** Turns the carrier's reports on the other side into events. */
  const ears = SubscriptionRef.changes(feed).pipe(
    Stream.takeUntil((row) => row !== null && goneIn(row) !== undefined),
    Stream.runForEach((row) =>
      Effect.map(elapsed, (now) => {
        for (const words of row?.words.slice(taken) ?? []) {
          taken++
          const isBeep = words.mark === machineMark && words.text.startsWith("machine_end")
          if (isBeep) listener({ _tag: "Beep" })
          else if (words.text !== "" && isHeard(words.mark)) {
            const ended_ms = Math.max(0, words.at - answeredAt)
            const started_ms = Math.max(0, Math.round(ended_ms - spokenMs(words.text)))
            listener({ _tag: "Utterance", text: words.text, started_ms, ended_ms })
          }
        }
        // Both may be reported at once: the utterance came first.
        if (row?.words.some(({ mark }) => mark === saying?.mark) === true) finishSaying(now)
        const how = row === null ? undefined : goneIn(row)
        if (how !== undefined) leave(how, now)
      }),
    ),
  )

  /** Speaks the waiting words, as many as one instruction takes: between two instructions there is a silence. */
  const mouth = Effect.gen(function* () {
    while (true) {
      arrival.closeUnsafe()
      const pieces = takeTogether(waiting)
      if (pieces.length === 0) {
        yield* arrival.await
        continue
      }
      const text = aloud(pieces.map((piece) => piece.text).join(" "), request.language)
      const started_ms = yield* elapsed
      const limit = spokenMs(text) * 2 + reportsWithinMs
      const says = (next: string, mark: string) => {
        saying = { pieces, started_ms, mark }
        return Twiml.say(text, next, locale)
      }
      const step = yield* instruct("s", says, limit)
      const ended = yield* elapsed
      if (step !== null && "gone" in step) return leave(step.gone, ended)
      finishSaying(ended)
    }
  })

  const scope = yield* Effect.scope
  const started = Effect.andThen(Effect.forkIn(ears, scope), Effect.forkIn(mouth, scope)).pipe(Effect.asVoid)
  const line: Line = {
    speed: 1,
    manners: wholeUtterances,
    moment: Effect.map(elapsed, (at) => ({
      at,
      playing: positions(goneAt ?? at).find(({ length_ms, played_ms }) => played_ms < length_ms) ?? null,
    })),
    attach: (to) => Effect.sync(() => void (listener = to)).pipe(Effect.andThen(started)),
    play: (piece) =>
      Effect.sync(() => {
        waiting.push(piece)
        arrival.openUnsafe()
      }),
    yield: Effect.void,
    // Twilio finishes a sentence that it has begun.
    hold: Effect.void,
    resume: Effect.void,
    cut: Effect.sync(() => void (waiting.length = 0)),
    sendDigits: (digits) =>
      Effect.asVoid(
        instruct(
          "p",
          (next) => Twiml.play(digits.replaceAll(unplayable, ""), next),
          digits.length * 1_000 + reportsWithinMs,
        ),
      ),
    // The call, and its slot, live on while the two talk: the carrier counts the call too.
    transfer: (target) =>
      Effect.map(
        instruct("d", (next) => Twiml.dial(target, next), request.max_call_seconds * 1_000),
        (step) => step !== null && ("gone" in step || step.passed.text === "completed"),
      ),
  }
  return line
})

const clamp = (ms: number, most: number) => Math.max(0, Math.min(ms, most))

/** The pieces that fit one instruction; at least the first. */
const takeTogether = (waiting: Array<Piece>): ReadonlyArray<Piece> => {
  const pieces = waiting.splice(0, 1)
  let length = pieces[0]?.text.length ?? 0
  for (let next = waiting[0]; next !== undefined && length + next.text.length < Twiml.longestPiece; next = waiting[0]) {
    waiting.shift()
    pieces.push(next)
    length += next.text.length + 1
  }
  return pieces
}

/** `s3` reports the end of a sentence, `s3.1` words that were heard after it. */
const isHeard = (mark: string) => mark.includes(".")
