/**
 * A conversation by voice with a page: the visitor's sound comes as frames and goes through a recogniser; the agent's
 * words are sent as frames, and the page reports how many it has played. Both sides also appear in writing.
 */
import { Effect, type Fiber, Stream } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import { aloud } from "../../speech/Aloud.ts"
import { frameMs } from "../../speech/Audio.ts"
import { Ear } from "../../speech/Ear.ts"
import { patienceMs } from "../../speech/Endpointing.ts"
import { heardText } from "../../speech/HeardText.ts"
import { Playout } from "../../speech/Playout.ts"
import type { SpeechRecogniser } from "../../speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../speech/TextToSpeech.ts"
import type { MediaClock } from "../MediaClock.ts"
import type { Gone, Line, LineEvent } from "../Telephony.ts"
import type { Chat } from "./Chat.ts"
import type { SoundWire } from "./SoundWire.ts"

export interface VoiceEquipment {
  readonly recogniser: SpeechRecogniser
  readonly synthesiser: SpeechSynthesiser
  readonly clock: MediaClock["Service"]
}

/** A visitor who pressed a button waits for the agent and does not say hello. */
const firstWordMs = 300
/** A late frame was spoken before it came, but not by more than this. */
const latestMs = 200
/** Of a page that is there: no sound from it, no sign that ours is heard. */
const noFirstSoundMs = 30_000
const noSoundMs = 20_000
const noEarMs = 10_000
/** A process that paused for this long received nothing meanwhile, and only now reads what the pages sent. */
const stoodStillMs = 1_000

export const make = Effect.fnUntraced(function* (
  { clock: media, recogniser, synthesiser }: VoiceEquipment,
  { language, voice }: Pick<Agent, "language" | "voice">,
  chat: Chat,
  wire: SoundWire,
) {
  const scope = yield* Effect.scope
  const began = media.now()
  const now = () => Math.round(media.now() - began)

  const early: Array<LineEvent> = []
  let tell = (event: LineEvent): void => void early.push(event)
  let isGone = false
  const leave = (how: Gone) => {
    if (isGone) return
    isGone = true
    tell({ _tag: "Gone", how })
  }

  /** The written text of the agent's utterance that was heard completely; and the piece that is being heard. */
  const texts = new Map<number, string>()
  let said: Array<string> = []
  let isAll = false
  const playout: Playout = new Playout({
    send: (number, frame) => wire.send(number, frame),
    began: (piece) => chat.say(texts.get(piece) ?? ""),
    played: (piece, started_ms, ended_ms) => {
      said.push(texts.get(piece) ?? "")
      texts.delete(piece)
      if (isAll && playout.isEmpty) finish()
      tell({ _tag: "Played", piece, started_ms, ended_ms })
    },
  })
  const finish = () => {
    said = []
    chat.finish()
  }

  const listening = yield* recogniser.open({ language })
  const ear = new Ear(listening, {
    started: (at) => tell({ _tag: "SpeechStarted", at }),
    ended: (at) => tell({ _tag: "SpeechEnded", at }),
  })
  yield* listening.results.pipe(
    Stream.runForEach(({ ended_ms, started_ms, text }) =>
      Effect.sync(() => {
        if (text === null) return tell({ _tag: "Misheard" })
        if (text === "") return
        chat.utter(text)
        tell({ _tag: "Utterance", text, started_ms, ended_ms })
      }),
    ),
    Effect.forkScoped,
  )

  let spokeAt: number | null = null
  let heardAt = 0
  wire.listen({
    spoke: (frame, heard) => {
      const at = now()
      playout.heard(heard, at)
      spokeAt = at
      heardAt = Math.min(at, Math.max(heardAt + frameMs, at - latestMs))
      ear.hear(frame, heardAt, playout.sentDb)
    },
    joined: () => {
      spokeAt = null
      playout.rewind(now())
      // The previous order may have reached no page.
      chat.sound("clear", playout.next)
      if (playout.isHeld) chat.sound("hold", playout.next)
    },
  })
  let tickedAt = 0
  const tick = () => {
    const at = now()
    if (at - tickedAt > stoodStillMs) {
      playout.stoodStill(at)
      if (spokeAt !== null) spokeAt = at
    }
    tickedAt = at
    playout.tick(at)
    if (!wire.isJoined) {
      spokeAt = at
      return
    }
    const isDeaf = spokeAt === null ? at > noFirstSoundMs : at - spokeAt > noSoundMs
    if (isDeaf || playout.silentMs(at) > noEarMs) leave("lost")
  }
  yield* media.attach(tick, () => leave("lost"))

  const speaking = new Map<number, Fiber.Fiber<void>>()
  /** Text that cannot be spoken appears in writing, and the conversation goes on. */
  const speak = (piece: number, text: string) =>
    synthesiser.speak(aloud(text, language), { voice }).pipe(
      Stream.takeWhile((samples) => playout.add(piece, samples)),
      Stream.runDrain,
      Effect.catch(({ reason }) => Effect.annotateLogs(Effect.logWarning("speech synthesis failed"), { why: reason })),
      Effect.ensuring(
        Effect.sync(() => {
          speaking.delete(piece)
          playout.end(piece, now())
        }),
      ),
    )

  const line: Line = {
    speed: 1,
    written: false,
    manners: { first_word_ms: firstWordMs, endpoint_ms: patienceMs },
    moment: Effect.sync(() => ({ at: now(), playing: playout.position() })),
    attach: (listener) =>
      Effect.sync(() => {
        tell = listener
        for (const event of early.splice(0)) listener(event)
        chat.listen({
          // A visitor who cannot speak just now can write.
          wrote: (text) => tell({ _tag: "Utterance", text, started_ms: now(), ended_ms: now() }),
          left: leave,
        })
        chat.open()
      }),
    play: Effect.fnUntraced(function* ({ id, text }) {
      isAll = false
      texts.set(id, text)
      playout.begin(id, aloud(text, language), voice.speed)
      speaking.set(id, yield* Effect.forkIn(speak(id, text), scope))
    }),
    yield: Effect.sync(() => {
      isAll = true
      if (playout.isEmpty) finish()
    }),
    hold: Effect.sync(() => {
      playout.hold()
      chat.sound("hold", playout.next)
    }),
    resume: Effect.sync(() => {
      playout.resume(now())
      chat.sound("resume", playout.next)
    }),
    cut: Effect.sync(() => {
      const position = playout.position()
      const playing = position === null ? "" : (texts.get(position.piece) ?? "")
      const heard = position === null ? "" : heardText(playing, position.played_ms, position.length_ms, language)
      for (const piece of playout.cut(now())) {
        texts.delete(piece)
        speaking.get(piece)?.interruptUnsafe()
      }
      chat.sound("clear", playout.next)
      chat.interrupt([...said, heard].filter((text) => text !== "").join(" "))
      said = []
    }),
    sendDigits: () => Effect.void,
    transfer: () => Effect.succeed(false),
  }
  return line
})
