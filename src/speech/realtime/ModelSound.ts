/**
 * One sound that the model makes. It is buffered here until the line asks for it, which may be after its first part
 * arrived. Plain code.
 */
import { Cause, Effect, Queue, Stream } from "effect"
import { TtsFailed } from "../TextToSpeech.ts"
import { type Decoder, makeDecoder, type SoundFormat } from "./SoundFormat.ts"

interface Sink {
  readonly take: (samples: Int16Array) => void
  readonly end: () => void
  readonly fail: (reason: string) => void
}

export class ModelSound {
  /** The piece that this sound belongs to; null until the line asks for the sound. */
  piece: number | null = null
  readonly #decoder: Decoder
  readonly #bytesASecond: number
  #sink: Sink | null = null
  /** The parts that arrived before the line asked for the sound. */
  #early: Array<Int16Array> = []
  #bytes = 0
  #end: "ended" | { readonly failed: string } | null = null

  constructor(rate: number, { bytesASecond }: SoundFormat) {
    this.#decoder = makeDecoder(rate)
    this.#bytesASecond = bytesASecond
  }

  /** How many milliseconds of the sound have arrived. */
  get receivedMs(): number {
    return Math.floor((this.#bytes / this.#bytesASecond) * 1_000)
  }

  take(base64: string): void {
    if (this.#end !== null) return
    const bytes = Buffer.from(base64, "base64")
    if (bytes.length === 0) return
    this.#bytes += bytes.length
    this.#give(this.#decoder.take(bytes))
  }

  end(): void {
    if (this.#end !== null) return
    if (this.#bytes > 0) this.#give(this.#decoder.drain())
    this.#end = "ended"
    this.#sink?.end()
  }

  /** Ends the sound with a failure if none of it has arrived, so that another voice can speak its text. */
  fail(reason: string): void {
    if (this.#bytes > 0) return this.end()
    if (this.#end !== null) return
    this.#end = { failed: reason }
    this.#sink?.fail(reason)
  }

  #give(samples: Int16Array): void {
    if (this.#sink === null) this.#early.push(samples)
    else this.#sink.take(samples)
  }

  /** The samples, for one reader. */
  readonly samples: Stream.Stream<Int16Array, TtsFailed> = Stream.callback<Int16Array, TtsFailed>((queue) =>
    Effect.sync(() => {
      const sink: Sink = {
        take: (samples) => void Queue.offerUnsafe(queue, samples),
        end: () => void Queue.endUnsafe(queue),
        fail: (reason) => void Queue.failCauseUnsafe(queue, Cause.fail(new TtsFailed({ reason }))),
      }
      this.#sink = sink
      for (const samples of this.#early.splice(0)) sink.take(samples)
      if (this.#end === "ended") sink.end()
      else if (this.#end !== null) sink.fail(this.#end.failed)
    }),
  )
}
