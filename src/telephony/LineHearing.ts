/**
 * Hears the other side of a line with the installation's recogniser, or with a voice model, which the recogniser can
 * replace during the call.
 */
import { Effect, Scope, Stream } from "effect"
import { type ChangingListening, openChanging } from "../speech/ChangingListening.ts"
import type { Recogniser } from "../speech/Ear.ts"
import type { SpeechRecogniser, SttOptions, Transcript } from "../speech/SpeechToText.ts"
import type { Stretch, VoiceModelSession } from "../speech/VoiceModel.ts"

/**
 * The most frames and marks that are kept until a model is engaged: half a minute. The model is usually there within
 * seconds.
 */
const mostEarly = 1_500

/** Keeps sound until a listener is attached. */
class EarlySpeech implements Recogniser {
  #kept: Array<(to: Recogniser) => void> = []

  push(frame: Int16Array): void {
    this.#keep((to) => to.push(frame))
  }

  finalise(started_ms: number, ended_ms: number): void {
    this.#keep((to) => to.finalise(started_ms, ended_ms))
  }

  discard(): void {
    this.#keep((to) => to.discard())
  }

  giveTo(to: Recogniser): void {
    for (const give of this.#kept.splice(0)) give(to)
  }

  #keep(give: (to: Recogniser) => void): void {
    this.#kept.push(give)
    if (this.#kept.length > mostEarly) this.#kept.shift()
  }
}

interface Options extends SttOptions {
  /** A model will be engaged: no recogniser is opened before it is needed. */
  readonly isForModel: boolean
  readonly hear: (result: Transcript) => void
}

export interface LineHearing {
  /** The recogniser of the line's ear. It stays the same for the whole call. */
  readonly recogniser: Recogniser
  /** Whether the installation's recogniser still owes the words of finalised speech. */
  readonly isOwed: () => boolean
  readonly changeTo: (language: string) => Effect.Effect<void>
  readonly engage: (session: VoiceModelSession) => void
  /** Puts the recogniser in the model's place, and has it hear again the speech that the model did not understand. */
  readonly disengage: (unknown: ReadonlyArray<Stretch>) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (
  recogniser: SpeechRecogniser,
  { hear, isForModel, ...options }: Options,
): Effect.fn.Return<LineHearing, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const early = new EarlySpeech()
  let current: Recogniser = early
  let own: ChangingListening | null = null
  let model: VoiceModelSession | null = null
  let { language } = options

  const openOwn = Effect.gen(function* () {
    const listening = yield* openChanging(recogniser, { ...options, language })
    yield* Effect.forkIn(
      Stream.runForEach(listening.results, (result) => Effect.sync(() => hear(result))),
      scope,
    )
    own = listening
    current = listening
    return listening
  }).pipe(Scope.provide(scope))
  if (!isForModel) yield* openOwn

  return {
    recogniser: {
      push: (frame) => current.push(frame),
      finalise: (started_ms, ended_ms) => current.finalise(started_ms, ended_ms),
      discard: () => current.discard(),
    },
    isOwed: () => own?.isOwed() === true,
    changeTo: (to) =>
      Effect.suspend(() => {
        language = to
        model?.changeLanguage(to)
        return own?.changeTo(to) ?? Effect.void
      }),
    engage: (session) => {
      model = session
      current = session.recogniser
      early.giveTo(current)
    },
    disengage: (unknown) =>
      Effect.map(openOwn, (listening) => {
        model = null
        for (const { ended_ms, frames, started_ms } of unknown) {
          for (const frame of frames) listening.push(frame)
          if (ended_ms !== null) listening.finalise(started_ms, ended_ms)
        }
      }),
  }
})
