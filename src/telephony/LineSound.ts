/**
 * Both directions of one call's sound, over any path. The other side's frames go to the recogniser. The agent's frames
 * leave, and the line knows which of them were heard. Everything that happens becomes an event of the line. Plain code,
 * called for each frame.
 */
import { Accompaniment } from "../speech/Accompaniment.ts"
import { frameMs } from "../speech/Audio.ts"
import { Ear } from "../speech/Ear.ts"
import type { VoiceDetector } from "../speech/detection/VoiceDetector.ts"
import type { MachineSounds } from "../speech/MachineSounds.ts"
import { mostUnheard, Playout } from "../speech/Playout.ts"
import { ArrivalTimes } from "./ArrivalTimes.ts"
import { ConnectedLine } from "./ConnectedLine.ts"
import type { LineHearing } from "./LineHearing.ts"
import type { SoundPatch } from "./SoundPatch.ts"
import type { SoundPath } from "./SoundPath.ts"
import { TapFeed } from "./TapFeed.ts"
import type { Gone, LineEvent } from "./Telephony.ts"
import type { WrittenWords } from "./WrittenWords.ts"

/** A connected path is lost if the other side has reported no heard frame for this long while sound was sent to it. */
const noReportMs = 10_000
/** A process that was paused for this long has not yet read what arrived in the pause. */
const stoodStillMs = 1_000
/** Music begins after the agent was silent for this long, and so not between two sentences. */
const quietMs = 600

/** What hears the other side and shows the agent's words. */
export interface Hearers {
  readonly detector: VoiceDetector
  readonly hearing: Pick<LineHearing, "recogniser" | "isOwed">
  /** Null: a machine is not expected. */
  readonly machine: MachineSounds | null
  /** Null: the conversation is not shown in writing. */
  readonly words: WrittenWords | null
}

export interface DroppedPiece {
  readonly piece: number
  readonly heard_ms: number
}

const louder = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

/** Both directions of one call's sound. */
export class LineSound {
  readonly playout: Playout
  readonly feed: TapFeed
  readonly accompaniment: Accompaniment
  readonly #path: SoundPath
  readonly #now: () => number
  readonly #ear: Ear
  readonly #hearing: Hearers["hearing"]
  readonly #machine: MachineSounds | null
  readonly #words: WrittenWords | null
  /** Frames sent so far, at each of the last ticks, where the other side does not report. */
  readonly #sent: Array<number> = []
  /** When the voice made the first sound of each piece that waits to be sent. */
  readonly #voicedAt = new Map<number, number>()
  #early: Array<LineEvent> = []
  #tell = (event: LineEvent): void => void this.#early.push(event)
  #isGone = false
  /** The other side is gone, and the words of its last speech are still to come. */
  #owesWords = false
  readonly #arrivals = new ArrivalTimes()
  #tickedAt = 0
  /** When the present tick was due; null between ticks. */
  #due: number | null = null
  /** When the agent's sound, or a connected line's, was last sent. */
  #voiceSentAt = 0
  /** When the music that was sent is over. */
  #musicDue = 0
  readonly #connected = new ConnectedLine()

  constructor(path: SoundPath, { detector, hearing, machine, words }: Hearers, now: () => number) {
    this.#path = path
    this.#now = now
    this.#words = words
    this.#machine = machine
    this.#hearing = hearing
    const { cancelledDb, leadMs, rates } = path
    this.feed = new TapFeed(path)
    this.accompaniment = new Accompaniment(rates.spoken)
    this.playout = new Playout(
      {
        send: (number, frame) => this.#send(number, frame),
        began: (piece) => this.#begin(piece),
        played: (piece, started_ms, ended_ms) => {
          words?.end(piece, this.playout.isEmpty)
          this.#tell({ _tag: "Played", piece, started_ms, ended_ms })
        },
      },
      { rate: rates.spoken, leadMs },
    )
    const listener = {
      started: (at: number) => this.tell({ _tag: "SpeechStarted", at }),
      ended: (at: number) => this.tell({ _tag: "SpeechEnded", at }),
      suspected: () => this.#duck(this.#connected.sink === null),
      cleared: () => this.#duck(false),
    }
    this.#ear = new Ear(detector, hearing.recogniser, listener, cancelledDb)
  }

  /** Attaches to the path: from now on its reports become events of the line. */
  open(): void {
    const { playout } = this
    this.#path.attach({
      heard: (frame) => this.#hear(frame),
      played: (number) => this.#played(number),
      replaced: () => {
        playout.rewind(this.#now())
        // The previous `clear` or `hold` may have reached no receiver.
        this.#path.clear(playout.next)
        if (playout.isHeld) this.#path.hold(playout.next)
      },
      wrote: (text) => this.tell({ _tag: "Utterance", text, started_ms: this.#now(), ended_ms: this.#now() }),
      key: (digit) =>
        this.#connected.sink === null ? this.tell({ _tag: "Key", digit }) : this.#connected.sink.key(digit),
      peerHeld: () => this.tell({ _tag: "PeerHeld" }),
      peerBack: () => this.tell({ _tag: "PeerBack" }),
      gone: (how) => this.leave(how),
    })
  }

  tell(event: LineEvent): void {
    this.#tell(event)
  }

  attach(listener: (event: LineEvent) => void): void {
    this.#tell = listener
    for (const event of this.#early.splice(0)) listener(event)
  }

  leave(how: Gone): void {
    if (this.#isGone) return
    this.#isGone = true
    // What was said until now still gets its words.
    this.#ear.finish()
    this.#owesWords = this.#hearing.isOwed()
    this.tell({ _tag: "Gone", how, ...(this.#owesWords ? { hears: true } : {}) })
  }

  /** Reports, after `Gone`, that the last words are known. */
  hearOut(): void {
    if (!this.#owesWords || this.#hearing.isOwed()) return
    this.#owesWords = false
    this.tell({ _tag: "HeardOut" })
  }

  #send(number: number, frame: Int16Array): boolean {
    const at = this.#due ?? this.#now()
    this.#voiceSentAt = at
    return this.#put(number, this.accompaniment.end(frame), at)
  }

  #put(number: number, frame: Int16Array, at: number): boolean {
    const isTaken = this.#path.send(number, frame)
    if (isTaken) this.feed.sent(number, frame, at)
    return isTaken
  }

  /** Sends music while no voice is heard, if music was asked for. */
  #accompany(at: number): void {
    const { playout } = this
    if (playout.isHeld || this.#connected.sink !== null || playout.position() !== null) this.#voiceSentAt = at
    while (this.#musicDue - at < this.#path.leadMs && playout.unheard < mostUnheard) {
      const frame = this.accompaniment.next(at - this.#voiceSentAt >= quietMs)
      if (frame === null || !this.#put(playout.next, frame, at)) return
      playout.skipNumber()
      this.#musicDue = Math.max(this.#musicDue, at) + frameMs
    }
  }

  /** Sends the connected line's frame of this tick. */
  #passOn(): void {
    const frame = this.#connected.next()
    if (frame !== null && this.#send(this.playout.next, frame)) this.playout.skipNumber()
  }

  /** The level of the sound that the other side hears now; null if it hears none. */
  get #sentDb(): number | null {
    return louder(louder(this.playout.sentDb, this.accompaniment.db), this.#connected.db)
  }

  /** What another line connects to. */
  get patch(): SoundPatch {
    return {
      rates: this.#path.rates,
      divert: (to) => {
        this.#connected.connect(to)
        if (to !== null) this.#duck(false)
      },
      inject: (frame) => this.#connected.put(frame),
      sendDigits: (digits) => this.#path.sendDigits(digits),
    }
  }

  #duck(isDucked: boolean): void {
    this.#path.duck(isDucked)
    this.feed.duck(isDucked)
  }

  #played(number: number): void {
    const now = this.#now()
    const before = this.playout.heardUpTo
    this.playout.heard(number, now)
    this.feed.played(before, this.playout.heardUpTo, now)
  }

  /** Frames that a path delivers during a tick are on time. Other paths deliver them as they arrive. */
  #hear(frame: Int16Array): void {
    const at = this.#due ?? this.#arrivals.next(this.#now())
    this.feed.heard(frame, at)
    const { sink } = this.#connected
    sink?.frame(frame)
    if (sink?.isTranscribed !== false) this.#ear.hear(frame, at, this.#sentDb)
    if (sink !== null) return
    const sound = this.#machine?.hear(frame) ?? null
    if (sound === "beep") this.tell({ _tag: "Beep" })
    else if (sound !== null) this.tell({ _tag: "Tone", tone: sound })
  }

  tick(at: number): void {
    const { hearing, isConnected } = this.#path
    if (at - this.#tickedAt > stoodStillMs) this.playout.stoodStill(at)
    this.#tickedAt = at
    this.#due = at
    this.feed.tick(at)
    this.playout.tick(at)
    this.#passOn()
    this.#accompany(at)
    if (hearing._tag === "Assumed") this.#assumeHeard(hearing.ticks, at)
    this.#path.tick(at)
    this.#due = null
    if (isConnected && this.playout.silentMs(at) > noReportMs) this.leave("lost")
  }

  #assumeHeard(ticks: number, at: number): void {
    this.#sent.push(this.playout.next - 1)
    if (this.#sent.length > ticks) this.playout.heard(this.#sent.shift() ?? 0, at)
  }

  /** Adds samples to a piece. Returns false if the piece was cut. */
  add(piece: number, samples: Int16Array): boolean {
    if (!this.playout.add(piece, samples)) return false
    if (samples.length > 0 && !this.#voicedAt.has(piece)) this.#voicedAt.set(piece, this.#now())
    return true
  }

  #begin(piece: number): void {
    this.#words?.begin(piece)
    const audio_ms = this.#voicedAt.get(piece)
    this.#voicedAt.delete(piece)
    if (audio_ms !== undefined) this.tell({ _tag: "Voiced", piece, audio_ms, frame_ms: this.#now() })
  }

  hold(): void {
    const at = this.playout.silentFrom(this.#now())
    this.playout.hold()
    this.#path.hold(this.playout.next)
    if (at !== null) this.tell({ _tag: "Silenced", at })
  }

  resume(): void {
    this.playout.resume(this.#now())
    this.#path.resume(this.playout.next)
  }

  /** Returns the dropped pieces, and how much of the sound of each was heard. */
  cut(): ReadonlyArray<DroppedPiece> {
    const position = this.playout.position()
    const heard_ms = position === null ? 0 : this.playout.heardMs(position.piece)
    const dropped = this.playout.cut(this.#now())
    for (const piece of dropped) this.#voicedAt.delete(piece)
    this.#path.clear(this.playout.next)
    this.feed.cut()
    this.#words?.cut(position)
    return dropped.map((piece) => ({ piece, heard_ms: piece === position?.piece ? heard_ms : 0 }))
  }
}
