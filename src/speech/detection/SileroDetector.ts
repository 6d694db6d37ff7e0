/**
 * Detects speech by Silero, and by the level alone while the model is late, dead or missing. The level also limits the
 * model: sound that is softer than a possible echo of the agent is never a voice. In a quiet room the level finds the
 * end of speech sooner. Pure, except that the model's judgements arrive between calls.
 */
import { frameMs } from "../Audio.ts"
import { quietestDb, VoiceActivity } from "../VoiceActivity.ts"
import { type SileroLine, windowMs } from "./SileroLine.ts"
import type { Circumstances, VoiceDetector } from "./VoiceDetector.ts"

/**
 * Silero's own thresholds. Requiring a second window to agree would delay the median onset by 25 ms, and in the tests
 * no cough needed it.
 */
const onProbability = 0.5
const offProbability = 0.35
/** Silence that ends speech. Less splits sentences at their pauses. */
const offMs = 240
/** The silence that ends speech if the level has already found its end: two windows. */
const offAfterLevelMs = 2 * windowMs
/** The model is late if its newest judgement is older than this. Normally it is some 20 to 70 ms old. */
const latestMs = 160
/** A model that was late must be in time for this long before it decides again. */
const trustAfterMs = 1_000

export class SileroDetector implements VoiceDetector {
  readonly #level = new VoiceActivity()
  readonly #line: SileroLine
  readonly #fellBack: () => void
  /** How many milliseconds of sound were heard, and how many of them were judged. */
  #heardMs = 0
  #judgedMs = 0
  /** The ends of the last frames that were loud enough for a voice. */
  #loud: Array<number> = []
  #isOn = false
  #isVoiced = false
  #beganMs = 0
  #voicedMs = 0
  #levelQuietMs = 0
  /** How long the model has been in time. It is trusted from its first judgement on. */
  #timelyMs = trustAfterMs
  #bySilero = false

  /** `fellBack` is called when the level takes over from the model. */
  constructor(line: SileroLine, fellBack: () => void) {
    this.#line = line
    this.#fellBack = fellBack
  }

  /** Whether the model decides, and not the level. */
  get isBySilero(): boolean {
    return this.#bySilero
  }

  get isVoiced(): boolean {
    return this.#bySilero ? this.#isVoiced : this.#level.isVoiced
  }

  get delayMs(): number {
    return this.#bySilero ? this.#heardMs - this.#judgedMs : this.#level.delayMs
  }

  get onsetMs(): number {
    return this.#bySilero ? this.#heardMs - this.#beganMs : this.#level.onsetMs
  }

  hear(frame: Int16Array, circumstances: Circumstances): "on" | "off" | null {
    this.#heardMs += frameMs
    this.#level.hear(frame, circumstances)
    this.#levelQuietMs = this.#level.isVoiced ? 0 : this.#levelQuietMs + frameMs
    if (this.#level.levelDb > Math.max(quietestDb, circumstances.leastDb ?? quietestDb)) this.#loud.push(this.#heardMs)
    this.#line.push(frame)
    const isVoice = this.#follow()
    this.#choose()
    return this.#become(this.#bySilero ? isVoice : this.#level.isOn)
  }

  /** Takes the new judgements. Returns whether a person speaks according to the model. */
  #follow(): boolean {
    let isVoice = this.#isOn
    for (const { probability, window } of this.#line.takeJudged()) {
      const began = window * windowMs
      this.#judgedMs = began + windowMs
      const isLoud = this.#loud.some((end) => end > began && end - frameMs < this.#judgedMs)
      this.#loud = this.#loud.filter((end) => end > this.#judgedMs)
      this.#isVoiced = isLoud && probability >= (isVoice ? offProbability : onProbability)
      if (!this.#isVoiced) continue
      if (!isVoice) this.#beganMs = began
      this.#voicedMs = this.#judgedMs
      isVoice = true
    }
    const isOver =
      this.#heardMs - this.#voicedMs >= offMs ||
      (this.#judgedMs - this.#voicedMs >= offAfterLevelMs && this.#hasLevelEnded())
    return isVoice && !isOver
  }

  /** Used only in a quiet room: in noise the level takes soft words for silence. */
  #hasLevelEnded(): boolean {
    return this.#level.isQuiet && this.#levelQuietMs >= offMs
  }

  #choose(): void {
    const isTimely = this.#judgedMs > 0 && this.#heardMs - this.#judgedMs <= latestMs
    if (!isTimely) {
      this.#timelyMs = this.#judgedMs === 0 ? trustAfterMs : 0
      // Without this the list would grow while no judgements arrive.
      this.#loud = this.#loud.filter((end) => end > this.#heardMs - 1_000)
      if (!this.#bySilero) return
      this.#bySilero = false
      this.#fellBack()
    } else {
      this.#timelyMs += frameMs
      this.#bySilero = this.#timelyMs >= trustAfterMs
    }
  }

  #become(isOn: boolean): "on" | "off" | null {
    if (isOn === this.#isOn) return null
    this.#isOn = isOn
    return isOn ? "on" : "off"
  }
}
