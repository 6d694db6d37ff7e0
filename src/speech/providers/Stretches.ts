/**
 * The stretches of speech that a streaming recogniser has not finished. It matches results with stretches by their
 * position in the sound of one connection, and keeps sound without final words, so that another connection can repeat
 * it. Plain code: the caller passes the time and the connection.
 */
import { concatenate } from "../Audio.ts"
import type { Transcript } from "../SpeechToText.ts"

/** The sending half of a connection. */
export interface Outlet {
  readonly hear: (samples: Int16Array) => void
  /** Asks the recogniser for the final words of all sound sent so far. */
  readonly finalise: () => void
}

/** A result with its range in the connection's sound, in samples. */
export interface Heard {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly isFinal: boolean
  /** Whether the result answers `finalise`. */
  readonly isFlush: boolean
}

interface Stretch {
  /** The sound without final words, which a new connection has to hear again. */
  frames: Array<Int16Array>
  /** Positions in the connection's sound, in samples: of the first frame, of the next result, and of the end. */
  kept_from: number
  from: number
  to: number
  /** Final words, and the words so far that follow them. */
  final: ReadonlyArray<string>
  interim: string
  /** The words that were reported last. */
  told: string
  end: End | null
}

interface End {
  readonly started_ms: number
  readonly ended_ms: number
  /** Whether the sound was not speech, so that its words are ignored. */
  readonly isDiscarded: boolean
  /** When the stretch was finalised, and when the present connection was asked for its final words. */
  readonly at: number
  asked_at: number | null
}

/** Results may cover a little less than the sound that was sent. */
const slackMs = 100
/** The most frames kept: half a minute, more than the longest stretch. */
const mostFrames = 1_600
/** Repeated sound is sent in blocks of a second. */
const blockFrames = 50
/** After this long without final words, the words so far count, if there are any. */
const interimAfterMs = 1_500
/** A connection that does not answer `finalise` within this time is replaced. */
const answerWithinMs = 2_500
/** After this long the words count as lost, because the caller waits. Without a connection the wait is shorter. */
const lostAfterMs = 6_000
const lostUnconnectedAfterMs = 3_000

export class Stretches {
  readonly #tell: (result: Transcript) => void
  readonly #slack: number
  #stretches: Array<Stretch> = []
  #outlet: Outlet | null = null
  /** Whether the provider refuses the language, so that no connection will bring words. */
  #isRefused = false
  /** Samples sent over the present connection. */
  #sent = 0

  constructor(rate: number, tell: (result: Transcript) => void) {
    this.#tell = tell
    this.#slack = (rate * slackMs) / 1_000
  }

  /** True if no stretch waits for words. */
  get isEmpty(): boolean {
    return this.#stretches.length === 0
  }

  /** Attaches a new connection, and sends it all sound that has no final words yet. */
  join(outlet: Outlet, now: number): void {
    this.#outlet = outlet
    this.#isRefused = false
    this.#sent = 0
    this.#stretches = this.#stretches.filter(({ end }) => end?.isDiscarded !== true)
    for (const stretch of this.#stretches) {
      stretch.from = stretch.kept_from = stretch.to = this.#sent
      for (let at = 0; at < stretch.frames.length; at += blockFrames)
        this.#send(stretch, concatenate(stretch.frames.slice(at, at + blockFrames)))
      if (stretch.end !== null) this.#ask(stretch.end, now)
    }
  }

  /** Records that the provider refuses this call's connections, and gives up all ended stretches at once. */
  refuse(): void {
    this.#isRefused = true
    for (const stretch of [...this.#stretches]) if (stretch.end !== null) this.#complete(stretch, true)
  }

  part(): void {
    this.#outlet = null
    for (const { end } of this.#stretches) if (end !== null) end.asked_at = null
  }

  push(frame: Int16Array): void {
    let stretch = this.#stretches.at(-1)
    if (stretch === undefined || stretch.end !== null) {
      stretch = { frames: [], kept_from: this.#sent, from: this.#sent, to: this.#sent, ...noWords }
      this.#stretches.push(stretch)
    }
    stretch.frames.push(frame)
    this.#send(stretch, frame)
    const kept = this.#stretches.reduce((sum, { frames }) => sum + frames.length, 0)
    if (kept > mostFrames) this.#forgetOldest()
  }

  finalise(started_ms: number, ended_ms: number, now: number): void {
    this.#end({ started_ms, ended_ms, isDiscarded: false, at: now, asked_at: null }, now)
  }

  discard(now: number): void {
    this.#end({ started_ms: 0, ended_ms: 0, isDiscarded: true, at: now, asked_at: null }, now)
  }

  #end(end: End, now: number): void {
    const stretch = this.#stretches.at(-1)
    if (stretch === undefined || stretch.end !== null) {
      if (!end.isDiscarded) this.#tell({ final: true, text: "", ...timesOf(end) })
      return
    }
    stretch.end = end
    if (this.#isRefused) return this.#complete(stretch, true)
    this.#ask(end, now)
    // Only the silence at the end has no final words, and recognisers do not always answer for silence.
    const kept = stretch.frames.reduce((sum, { length }) => sum + length, 0)
    if (stretch.final.length > 0 && kept <= this.#slack) this.#complete(stretch)
  }

  #ask(end: End, now: number): void {
    if (this.#outlet === null) return
    end.asked_at = now
    this.#outlet.finalise()
  }

  #send(stretch: Stretch, samples: Int16Array): void {
    if (this.#outlet === null) return
    this.#outlet.hear(samples)
    this.#sent += samples.length
    stretch.to = this.#sent
  }

  #forgetOldest(): void {
    const oldest = this.#stretches.find(({ frames }) => frames.length > 0)
    if (oldest !== undefined) oldest.kept_from += oldest.frames.shift()?.length ?? 0
  }

  take(heard: Heard): void {
    // A result past the end of a finalised stretch: no other result of that stretch will come.
    for (let [first] = this.#stretches; first !== undefined; [first] = this.#stretches) {
      if (first.end === null || heard.to <= first.to + this.#slack) break
      this.#complete(first)
    }
    const [stretch] = this.#stretches
    // An earlier result belongs to a stretch that was given up.
    if (stretch === undefined || heard.from < stretch.from - this.#slack) return
    if (!heard.isFinal) stretch.interim = heard.text
    else {
      if (heard.text !== "") stretch.final = [...stretch.final, heard.text]
      stretch.interim = ""
      const isWhole = heard.to >= stretch.to - this.#slack || (heard.isFlush && heard.to > stretch.from + this.#slack)
      this.#cover(stretch, heard.to)
      if (stretch.end !== null && isWhole) return this.#complete(stretch)
    }
    const text = wordsOf(stretch)
    if (text === stretch.told || stretch.end?.isDiscarded === true) return
    stretch.told = text
    this.#tell({ final: false, text })
  }

  /** Drops the sound whose final words are known. */
  #cover(stretch: Stretch, to: number): void {
    stretch.from = Math.max(stretch.from, to)
    for (let [frame] = stretch.frames; frame !== undefined; [frame] = stretch.frames) {
      if (stretch.kept_from + frame.length > to) return
      stretch.kept_from += frame.length
      stretch.frames.shift()
    }
  }

  #complete(stretch: Stretch, isLost = false): void {
    this.#stretches = this.#stretches.filter((other) => other !== stretch)
    if (stretch.end === null || stretch.end.isDiscarded) return
    const text = wordsOf(stretch)
    const isNothing = text === "" && isLost
    const isRefused = isNothing && this.#isRefused
    this.#tell({ final: true, text: isNothing ? null : text, ...timesOf(stretch.end), ...(isRefused && { isRefused }) })
  }

  /** Gives up stretches that have waited too long. Returns false if the connection is overdue and must be replaced. */
  check(now: number): boolean {
    const lostMs = this.#outlet === null ? lostUnconnectedAfterMs : lostAfterMs
    for (const stretch of [...this.#stretches]) {
      const { end } = stretch
      if (end === null) break
      const waited = now - end.at
      const isEnough = waited > interimAfterMs && (end.isDiscarded || wordsOf(stretch) !== "")
      if (!isEnough && waited <= lostMs) break
      this.#complete(stretch, true)
    }
    return this.#stretches.every(({ end }) => now - (end?.asked_at ?? now) <= answerWithinMs)
  }
}

const noWords = { final: [], interim: "", told: "", end: null } as const

const wordsOf = ({ final, interim }: Stretch): string => [...final, interim].join(" ").trim()

const timesOf = ({ ended_ms, started_ms }: End) => ({ started_ms, ended_ms })
