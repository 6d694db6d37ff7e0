/**
 * The talk on a Twilio call without a media stream, with Twilio's own voice and recogniser. Twilio says the agent's
 * words to their end, and then listens. It does not hear what the other side says meanwhile.
 */
import { Clock, Effect, Latch, Stream, SubscriptionRef } from "effect"
import { aloud } from "../../speech/Aloud.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import type { Feed } from "../CarrierFeeds.ts"
import { wholeUtterances } from "../Manners.ts"
import { goneOf } from "../rest/CallReports.ts"
import type { Gone, Line, LineEvent } from "../Telephony.ts"
import * as TwilioInstructions from "./TwilioInstructions.ts"
import type { Instruct, InstructedCall } from "./TwilioInstructions.ts"
import { beepIn } from "./TwilioMachine.ts"
import { spokenMs, TwilioSpeech } from "./TwilioSpeech.ts"
import { inLocale } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/**
 * Milliseconds. If Twilio does not report the end of a sentence, it counts as said after twice its length plus this.
 */
const reportsWithinMs = 10_000

interface AnsweredCall extends InstructedCall {
  readonly locale: string
}

/** The state of the talk. Times are milliseconds since the answer. */
class Talk {
  readonly speech = new TwilioSpeech((event) => this.listener(event))
  /** Open while words wait to be said. */
  readonly arrival = Latch.makeUnsafe(false)
  listener: (event: LineEvent) => void = () => {}
  goneAt: number | null = null
  readonly #answeredAt: number
  readonly #heardUntil: number
  /** How many of the call's words became events. */
  #told = 0

  constructor(answeredAt: number, heardUntil: number) {
    this.#answeredAt = answeredAt
    this.#heardUntil = heardUntil
  }

  /** Turns the news in the carrier's latest report into events. */
  hear(row: CarrierCall, now: number): void {
    for (const words of row.words.slice(this.#told)) {
      this.#told++
      if (words.at <= this.#heardUntil) continue
      const beep = beepIn(words)
      if (beep !== null) this.listener(beep)
      else if (words.text !== "" && isHeard(words.mark)) {
        const ended_ms = Math.max(0, words.at - this.#answeredAt)
        const started_ms = Math.max(0, Math.round(ended_ms - spokenMs(words.text)))
        this.listener({ _tag: "Utterance", text: words.text, started_ms, ended_ms })
      }
    }
    // One report may bring an utterance and the end of a sentence: the utterance came first.
    if (row.words.some(({ mark }) => this.speech.endsWith(mark))) this.speech.finish(now)
    const how = goneOf(row)
    if (how !== undefined) this.leave(how, now)
  }

  leave(how: Gone, at: number): void {
    if (this.goneAt !== null) return
    this.goneAt = at
    this.speech.breakOff(at)
    this.listener({ _tag: "Gone", how })
  }
}

const listen = (talk: Talk, feed: Feed, elapsed: Effect.Effect<number>) =>
  SubscriptionRef.changes(feed).pipe(
    Stream.filter((row) => row !== null),
    Stream.takeUntil((row) => goneOf(row) !== undefined),
    Stream.runForEach((row) => Effect.map(elapsed, (now) => talk.hear(row, now))),
  )

/** Says the waiting words until the call is over. */
const speak = Effect.fnUntraced(function* (
  talk: Talk,
  instruct: Instruct,
  elapsed: Effect.Effect<number>,
  spoken: { readonly language: string; readonly locale: string },
) {
  const { arrival, speech } = talk
  while (true) {
    arrival.closeUnsafe()
    const pieces = speech.take()
    if (pieces.length === 0) {
      yield* arrival.await
      continue
    }
    const text = aloud(pieces.map((piece) => piece.text).join(" "), spoken.language)
    const started_ms = yield* elapsed
    const ending = yield* instruct({
      kind: "s",
      patience: spokenMs(text) * 2 + reportsWithinMs,
      twiml: (next, mark) => {
        speech.begin({ pieces, started_ms, mark })
        return Twiml.say(text, next, spoken.locale)
      },
    })
    const ended = yield* elapsed
    if (ending !== null && "gone" in ending) return talk.leave(ending.gone, ended)
    speech.finish(ended)
  }
})

export const make = Effect.fnUntraced(function* (call: AnsweredCall) {
  const { feed, request } = call
  const { max_call_seconds } = request
  const spoken = { language: request.language, locale: call.locale }
  const answeredAt = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - answeredAt)
  const talk = new Talk(answeredAt, call.beginning.heard_until)
  const { arrival, speech } = talk
  const talkUrl = (mark: string) => inLocale(call.urls.talk(mark), spoken.locale)
  const instruct = TwilioInstructions.make({ ...call, urls: { ...call.urls, talk: talkUrl } })
  const scope = yield* Effect.scope

  const start = Effect.andThen(
    Effect.forkIn(listen(talk, feed, elapsed), scope),
    Effect.forkIn(speak(talk, instruct, elapsed, spoken), scope),
  )
  const line: Line = {
    speed: 1,
    manners: wholeUtterances,
    sound: null,
    canBeLeft: true,
    moment: Effect.map(elapsed, (at) => ({ at, playing: speech.playing(talk.goneAt ?? at) })),
    attach: (listener) => Effect.sync(() => void (talk.listener = listener)).pipe(Effect.andThen(start), Effect.asVoid),
    play: (piece) =>
      Effect.sync(() => {
        speech.add(piece)
        arrival.openUnsafe()
      }),
    yield: Effect.void,
    // Twilio finishes a sentence that it has begun.
    hold: Effect.void,
    resume: Effect.void,
    cut: Effect.sync(() => speech.clear()),
    sendDigits: (digits) =>
      Effect.asVoid(
        instruct({
          kind: "p",
          patience: digits.length * 1_000 + reportsWithinMs,
          twiml: (next) => Twiml.play(Twiml.playable(digits), next),
        }),
      ),
    changeSpeech: ({ language }) =>
      Effect.sync(() => {
        spoken.language = language
        spoken.locale = Twiml.localeOf(language)
      }),
    // A transferred call stays live and keeps its slot while the two talk, because Twilio counts it too.
    transfer: (target) =>
      Effect.map(
        instruct({ kind: "d", patience: max_call_seconds * 1_000, twiml: (next) => Twiml.dial(target, next) }),
        (ending) => ending !== null && ("gone" in ending || ending.passed.text === "completed"),
      ),
  }
  return line
})

/** Whether the mark belongs to heard words: `s3` marks the end of a sentence, `s3.1` words that were heard after it. */
const isHeard = (mark: string) => mark.includes(".")
