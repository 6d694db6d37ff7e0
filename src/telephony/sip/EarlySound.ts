/**
 * Listens to early media: after a provisional response with a session description, the network plays ringing tones or
 * an announcement. An announcement is evidence about the called number. Nothing of it reaches the conversation.
 */
import { Deferred, Effect, Exit, Queue, Result, Scope } from "effect"
import type { AnsweredBy, AnsweredByEvidence } from "../../domain/AnsweredBy.ts"
import { storableText } from "../../domain/JsonValue.ts"
import { machineKindOf } from "../../languages/MachineGreeting.ts"
import { RtpPath } from "../rtp/RtpPath.ts"
import * as SoundLine from "../SoundLine.ts"
import { type DialRequest, type LineEvent, Refused } from "../Telephony.ts"
import type { CallSound } from "./CallSound.ts"

/** The most session descriptions that are followed: each phone that rings has one. More are ignored. */
const mostDescriptions = 16
/** How many of an announcement's last characters are judged and stored. */
const mostText = 300
/** How long a refusal waits for words that were being said when the trunk refused the call. */
const wordsWithin = "2 seconds"

interface Parts {
  readonly equipment: SoundLine.SoundEquipment
  readonly sound: CallSound
  readonly request: Pick<DialRequest, "account" | "language" | "voice">
}

/** The announcement as heard so far. Plain code. */
class Announcement {
  isOutOfService = false
  /** Whether speech was heard whose words are not known yet. */
  isSpeaking = false
  #soundAt = 0
  /** When the three information tones were heard, and when the first words began; null before that. */
  #tonesAt: number | null = null
  #wordsAt: number | null = null
  #text = ""

  hear(event: LineEvent): void {
    switch (event._tag) {
      case "SpeechStarted":
        this.isSpeaking = true
        this.#soundAt = event.at
        return
      case "Misheard":
        this.isSpeaking = false
        return
      case "Tone":
        if (event.tone === "sit") this.#tonesAt = this.#soundAt
        return
      case "Utterance":
        // The words may arrive after the next speech has begun, which then still waits for its own.
        if (event.started_ms >= this.#soundAt) this.isSpeaking = false
        this.#wordsAt ??= event.started_ms
        // A pause within the announcement splits it.
        this.#text = storableText(`${this.#text} ${event.text}`.trim().slice(-mostText))
        this.isOutOfService ||= machineKindOf(this.#text) === "out_of_service"
    }
  }

  /** Null: no announcement was heard. */
  get verdict(): AnsweredBy | null {
    if (!this.isOutOfService && this.#tonesAt === null) return null
    const evidence: ReadonlyArray<AnsweredByEvidence> = [
      ...(this.#tonesAt === null ? [] : [{ kind: "announcement", at_ms: this.#tonesAt, said: null } as const]),
      ...(this.#wordsAt === null ? [] : [{ kind: "announcement", at_ms: this.#wordsAt, said: this.#text } as const]),
    ]
    return { verdict: "announcement", evidence }
  }
}

export interface EarlySound {
  /** Takes the session description of a provisional response. Plain code: never waits. */
  readonly take: (sdp: string) => void
  /** Fails once the network has announced that the number does not exist. */
  readonly outOfService: Effect.Effect<never, Refused>
  /** Fails with the refusal, completed by what the network announced before it. */
  readonly explain: (refused: Refused) => Effect.Effect<never, Refused>
  /** Stops listening and drops the early media: the call was answered. */
  readonly stop: Effect.Effect<void>
}

/** Opens no recogniser before the first session description. */
export const make = Effect.fnUntraced(function* ({ equipment, request, sound }: Parts) {
  const { account, language, voice } = request
  const scope = yield* Scope.fork(yield* Effect.scope)
  const descriptions = yield* Queue.dropping<string>(mostDescriptions)
  const announced = yield* Deferred.make<void>()
  const announcement = new Announcement()
  const hear = (event: LineEvent): void => {
    announcement.hear(event)
    if (announcement.isOutOfService) Deferred.doneUnsafe(announced, Effect.void)
  }
  const follow = Effect.fnUntraced(function* (sdp: string) {
    const agreed = sound.accept(sdp)
    if (Result.isSuccess(agreed)) yield* sound.rtp.agree(agreed.success)
    return Result.isSuccess(agreed)
  })
  const listen = Effect.gen(function* () {
    yield* Queue.take(descriptions).pipe(Effect.flatMap(follow), Effect.repeat({ until: (isAgreed) => isAgreed }))
    const line = yield* SoundLine.make(equipment, {
      path: new RtpPath(sound.rtp),
      account,
      language,
      voice,
      first_word_ms: 0,
      meetsMachines: true,
      onlooker: null,
    })
    yield* line.attach(hear)
    for (let taken = 1; taken < mostDescriptions; taken++) yield* Effect.flatMap(Queue.take(descriptions), follow)
  })
  yield* Effect.forkIn(Scope.provide(listen, scope), scope)

  const settle = Effect.suspend(() =>
    announcement.isSpeaking ? Effect.timeoutOption(Deferred.await(announced), wordsWithin) : Effect.void,
  )
  const refuse = (refused: Refused): Effect.Effect<never, Refused> => {
    const answered_by = announcement.verdict
    if (answered_by === null) return Effect.fail(refused)
    const mayBeUnknown = refused.outcome === "no_answer" || refused.outcome === "carrier_error"
    const outcome = announcement.isOutOfService && mayBeUnknown ? "invalid_number" : refused.outcome
    return Effect.fail(new Refused({ outcome, detail: refused.detail, answered_by }))
  }
  const unknown = new Refused({ outcome: "invalid_number", detail: "the network announced that the number is unknown" })
  return {
    take: (sdp) => void Queue.offerUnsafe(descriptions, sdp),
    outOfService: Effect.andThen(Deferred.await(announced), Effect.fail(unknown)),
    explain: (refused) =>
      Effect.andThen(
        settle,
        Effect.suspend(() => refuse(refused)),
      ),
    stop: Effect.andThen(
      Scope.close(scope, Exit.void),
      Effect.sync(() => sound.rtp.forget()),
    ),
  } satisfies EarlySound
})
