/** The frames to play. Counts what was heard, can fall silent at once, and drops frames that are taken back. */
import type { SoundOrder } from "../../../src/domain/WidgetMessage.ts"

interface Frame {
  readonly number: number
  readonly samples: Float32Array
}

/** Frames to wait for before playing. If playing began with the first frame, the next would often be late. */
const frontFrames = 3
const mostFrames = 250

export class PlayQueue {
  #frames: Array<Frame> = []
  /** Samples of the first frame that have been played. */
  #offset = 0
  #held = false
  #running = false
  #waited = 0
  #from = 0
  /** The number of the last frame that was played to its end. */
  played = 0

  get isPlaying(): boolean {
    return this.#running && !this.#held
  }

  add(number: number, samples: Float32Array): void {
    if (number < this.#from || number <= (this.#frames.at(-1)?.number ?? this.played)) return
    this.#frames.push({ number, samples })
    if (this.#frames.length <= mostFrames) return
    this.#frames.shift()
    this.#offset = 0
  }

  order(what: SoundOrder, frame: number): void {
    this.#held = what === "hold"
    if (what !== "clear") return
    this.#from = frame
    this.#frames = this.#frames.filter(({ number }) => number >= frame)
    this.#offset = 0
    this.#running = false
    this.#waited = 0
  }

  /** Fills a block with the next samples, or with silence. */
  render(out: Float32Array): void {
    let at = 0
    if (!this.#held && this.#mayRun(out.length)) {
      for (let [frame] = this.#frames; frame !== undefined && at < out.length; [frame] = this.#frames) {
        const samples = frame.samples.subarray(this.#offset, this.#offset + out.length - at)
        out.set(samples, at)
        at += samples.length
        this.#offset += samples.length
        if (this.#offset < frame.samples.length) break
        this.played = frame.number
        this.#offset = 0
        this.#frames.shift()
      }
      this.#running = at === out.length
    }
    out.fill(0, at)
  }

  #mayRun(length: number): boolean {
    const [frame] = this.#frames
    if (frame === undefined) return false
    if (this.#running) return true
    this.#waited += length
    // The end of a sentence may have fewer frames, so do not wait for longer than they would last.
    if (this.#frames.length < frontFrames && this.#waited < frontFrames * frame.samples.length) return false
    this.#waited = 0
    return true
  }
}
