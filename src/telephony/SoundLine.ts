/**
 * A line over any path of sound: a recogniser hears the other side, a voice speaks the agent's words, and an onlooker
 * reads both. `LineSound` handles the frames. This file has the recogniser, the voice and the line's operations.
 */
import { Effect, type Fiber, type Scope, Stream } from "effect"
import type { Agent, Model } from "../domain/Agent.ts"
import { aloud } from "../speech/Aloud.ts"
import { patienceIn } from "../speech/Endpointing.ts"
import { MachineSounds } from "../speech/MachineSounds.ts"
import { openAt, speakAt } from "../speech/AtRate.ts"
import type { LineSpeech } from "../speech/LineSpeech.ts"
import type { Transcript } from "../speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../speech/TextToSpeech.ts"
import { isVoiceModel, type VoiceModelProvider, type VoiceModelSession } from "../speech/VoiceModel.ts"
import { eventFrom } from "./HeardWords.ts"
import * as LineHearing from "./LineHearing.ts"
import { type DroppedPiece, LineSound } from "./LineSound.ts"
import type { MediaClock } from "./MediaClock.ts"
import type { ModelVoice } from "./ModelVoice.ts"
import type { SoundPath } from "./SoundPath.ts"
import type { Line, Piece } from "./Telephony.ts"
import { type Onlooker, WrittenWords } from "./WrittenWords.ts"

export interface SoundEquipment
  extends
    Pick<LineSpeech, "recogniser" | "synthesiser" | "detection">,
    Partial<Pick<LineSpeech, "voiceModel" | "hasProviders">> {
  readonly clock: MediaClock["Service"]
}

/** The language and the voice in which the agent speaks, and in which the other side is understood. */
type Speech = Pick<Agent, "language" | "voice">

export interface SoundOptions extends Speech {
  /** Whose line this is, by its slug: accounts share the voice detector. */
  readonly account: string
  /** The model of the agent that talks on this line; left out where no agent talks. */
  readonly model?: Model | undefined
  readonly path: SoundPath
  /** How long the agent waits for a first word before it speaks. */
  readonly first_word_ms: number
  /** Whether Parley called a phone, so that a machine may answer: the line then reports the tones of machines. */
  readonly meetsMachines: boolean
  readonly onlooker: Onlooker | null
}

/**
 * Opens the line of an answered call, until the scope closes. The line itself can neither transfer the call nor end it.
 * A carrier that can transfer calls replaces `transfer`.
 */
export const make = Effect.fnUntraced(function* (equipment: SoundEquipment, options: SoundOptions) {
  const { clock, detection, recogniser, synthesiser } = equipment
  const { account, first_word_ms, language, meetsMachines, onlooker, path, voice } = options
  const began = clock.now()
  const now = () => Math.round(clock.now() - began)

  const provider = modelIn(equipment, options)
  const hearing = yield* LineHearing.make(recogniser, {
    language,
    rate: path.rates.heard,
    isForModel: provider !== null,
    hear: (result) => {
      tellWords(result, sound, onlooker)
      if (result.final) sound.hearOut()
    },
  })
  const detector = yield* detection.open(path.rates.heard, account)
  const machine = meetsMachines ? new MachineSounds(path.rates.heard) : null
  const words = onlooker === null ? null : new WrittenWords(onlooker, language)
  const sound = new LineSound(path, { detector, hearing, machine, words }, now)
  sound.open()
  yield* clock.attach(
    (due) => sound.tick(Math.round(due - began)),
    () => sound.leave("lost"),
  )
  const speaker = new Speaker(
    { language, voice },
    { now, rate: path.rates.spoken, scope: yield* Effect.scope, sound, synthesiser, words },
  )

  const line: Line = {
    speed: 1,
    manners: { first_word_ms, endpoint_ms: (text) => patienceIn(speaker.speech.language)(text) },
    sound: { rates: path.rates, tap: (tap) => sound.feed.attach(tap) },
    moment: Effect.sync(() => ({ at: now(), playing: sound.playout.position() })),
    attach: (listener) => Effect.sync(() => sound.attach(listener)),
    play: (piece) => speaker.play(piece),
    yield: Effect.sync(() => words?.complete(sound.playout.isEmpty)),
    hold: Effect.sync(() => sound.hold()),
    resume: Effect.sync(() => sound.resume()),
    cut: Effect.sync(() => speaker.stop(sound.cut())),
    sendDigits: (digits) => Effect.sync(() => path.sendDigits(digits)),
    changeSpeech: (speech) => Effect.map(hearing.changeTo(speech.language), () => void (speaker.speech = speech)),
    ...(provider === null
      ? {}
      : { modelVoice: modelVoiceOf(provider, equipment, options, { hearing, speaker, words }) }),
    transfer: () => Effect.succeed(false),
    hearsKeys: path.hearsKeys,
    patch: sound.patch,
    listen: (rate) =>
      Effect.all({
        listening: Effect.suspend(() => openAt(recogniser, { language: speaker.speech.language, rate })),
        detector: detection.open(rate, account),
      }),
    accompany: (music) => Effect.sync(() => sound.accompaniment.set(music)),
  }
  return line
})

/** What a `Speaker` needs: the synthesiser, and the line that its sound goes to. */
interface SpeakerParts {
  readonly synthesiser: SpeechSynthesiser
  readonly sound: LineSound
  /** Samples a second. */
  readonly rate: number
  readonly words: WrittenWords | null
  readonly now: () => number
  /** The scope of the fibers in which pieces are spoken. */
  readonly scope: Scope.Scope
}

/** The agent's voice. Each piece of text is synthesised in a fiber of its own, which a cut interrupts. */
class Speaker {
  /** Applies from the next piece on. */
  speech: Speech
  /** Speaks for the agent; null: the installation's voice does. */
  session: VoiceModelSession | null = null
  readonly #parts: SpeakerParts
  readonly #speaking = new Map<number, Fiber.Fiber<void>>()

  constructor(speech: Speech, parts: SpeakerParts) {
    this.speech = speech
    this.#parts = parts
  }

  play(piece: Piece): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { id, text } = piece
      const { scope, sound, words } = this.#parts
      const spoken = aloud(text, this.speech.language)
      words?.add(id, text)
      sound.playout.begin(id, spoken, this.speech.voice.speed)
      return Effect.map(Effect.forkIn(this.#speak(piece, spoken), scope), (fiber) => void this.#speaking.set(id, fiber))
    })
  }

  /** Speaks a piece. Text that no voice can speak counts as heard at once, so that the conversation goes on. */
  #speak({ id: piece, sound: own }: Piece, spoken: string): Effect.Effect<void> {
    const { now, rate, sound, synthesiser } = this.#parts
    const speakOwn = () => speakAt(synthesiser, spoken, { ...this.speech, rate })
    const { session } = this
    // If the model is lost, the installation's voice says the pieces that the model had not begun.
    const samples = session === null ? speakOwn() : Stream.catch(session.speak(piece, spoken, own), speakOwn)
    return samples.pipe(
      Stream.takeWhile((samples) => sound.add(piece, samples)),
      Stream.runDrain,
      Effect.catch(({ reason }) => Effect.annotateLogs(Effect.logWarning("speech synthesis failed"), { why: reason })),
      Effect.ensuring(
        Effect.sync(() => {
          this.#speaking.delete(piece)
          sound.playout.end(piece, now())
        }),
      ),
    )
  }

  stop(pieces: ReadonlyArray<DroppedPiece>): void {
    for (const { heard_ms, piece } of pieces) {
      this.session?.drop(piece, heard_ms)
      this.#speaking.get(piece)?.interruptUnsafe()
    }
  }
}

/** Passes a recogniser's result to the line and to the onlooker. */
const tellWords = (result: Transcript, sound: LineSound, onlooker: Onlooker | null): void => {
  const event = eventFrom(result)
  if (event === null) return
  if (event._tag === "Utterance") onlooker?.understood(event.text)
  sound.tell(event)
}

/** Null: the agent has no voice model, or the installation has none. */
const modelIn = ({ voiceModel = null }: SoundEquipment, { model }: SoundOptions): VoiceModelProvider | null =>
  model !== undefined && isVoiceModel(model) ? voiceModel : null

const modelVoiceOf = (
  provider: VoiceModelProvider,
  { hasProviders = true }: SoundEquipment,
  { onlooker, path }: SoundOptions,
  parts: { readonly hearing: LineHearing.LineHearing; readonly speaker: Speaker; readonly words: WrittenWords | null },
): ModelVoice => {
  const { hearing, speaker, words } = parts
  return {
    provider,
    rates: path.rates,
    isReplaceable: hasProviders,
    engage: (session) => {
      speaker.session = session
      hearing.engage(session)
    },
    disengage: Effect.suspend(() => {
      const unknown = speaker.session?.unknown() ?? []
      speaker.session = null
      return hearing.disengage(unknown)
    }),
    understood: (text) => onlooker?.understood(text),
    reword: (piece, text) => words?.reword(piece, text),
  }
}
