/** A whole Parley that listens and speaks over the stand-in carrier's media streams, with a speech server. */
import { Context, Effect, Layer } from "effect"
import { CarrierProcess } from "./CarrierProcess.ts"
import { freePort } from "./FreePorts.ts"
import { modelServer } from "./ModelServer.ts"
import { type SpeechStandIn, speechServer } from "./SpeechServer.ts"
import { TestServer } from "./TestServer.ts"
import { until } from "./Until.ts"

export class Model extends Context.Service<Model, Effect.Success<ReturnType<typeof modelServer>>>()("test/Model") {
  static readonly layer = Layer.effect(this, modelServer([]))
}

export class Speech extends Context.Service<Speech, SpeechStandIn>()("test/Speech") {
  static readonly layer = Layer.effect(this, speechServer)
}

/** `env` adds to the server's settings. */
export const streamedParley = (env: Record<string, string> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const carrier = yield* CarrierProcess
      const model = yield* Model
      const speech = yield* Speech
      const port = yield* Effect.promise(freePort)
      return TestServer.layerWith({
        PORT: String(port),
        TWILIO_API_URL: carrier.url,
        TELNYX_API_URL: carrier.url,
        PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
        SPEECH_BASE_URL: speech.url,
        OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1`,
        ...env,
      })
    }),
  ).pipe(Layer.provideMerge([CarrierProcess.layer, Model.layer, Speech.layer]))

/** A stream as seen by the carrier. See the head of test/chaos/carrier/main.ts. */
export interface CarrierStream {
  readonly call_sid: string
  readonly call_id: string
  readonly sid: string
  readonly url: string
  readonly parameters: Readonly<Record<string, string>>
  /** The carrier's clock, in milliseconds. */
  readonly now: number
  readonly end: {
    readonly how: "closed" | "refused" | "left" | "cut"
    readonly code: number
    readonly reason: string
  } | null
  readonly played: ReadonlyArray<{ readonly hz: number | null; readonly from: number; readonly to: number }>
  readonly clears: ReadonlyArray<{ readonly at: number; readonly lost_ms: number }>
  readonly counts: {
    readonly media: number
    readonly marks: number
    readonly marks_early: number
    readonly odd: number
  }
  readonly said: ReadonlyArray<{ readonly text: string; readonly from: number; readonly to: number }>
  readonly digits: string
}

export const streamsOf = async (
  carrier: CarrierProcess["Service"],
  call: string,
): Promise<ReadonlyArray<CarrierStream>> =>
  (await carrier.ask("GET", "/streams")).filter(({ call_id }) => call_id === call)

/** Waits for the newest stream of the call to satisfy `isEnough`. */
export const streamOf = (
  carrier: CarrierProcess["Service"],
  call: string,
  isEnough: (stream: CarrierStream) => boolean = () => true,
): Promise<CarrierStream> =>
  until(async () => {
    const stream = (await streamsOf(carrier, call)).at(-1)
    return stream !== undefined && isEnough(stream) && stream
  })

/** The milliseconds of this tone that were played on a stream. */
export const playedMs = ({ played }: CarrierStream, hz: number): number =>
  played.reduce((sum, sound) => sum + (sound.hz === hz ? sound.to - sound.from : 0), 0)
