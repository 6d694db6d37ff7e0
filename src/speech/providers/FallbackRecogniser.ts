/**
 * One recogniser made of several providers, in the installation's order. If a provider fails on a stretch of speech,
 * the stretch goes to the next provider. After two failures in a row, the next provider hears the rest of the call, and
 * calls that begin meanwhile.
 */
import { Effect, Queue, Scope, Stream } from "effect"
import { frameMs } from "../Audio.ts"
import { openAt } from "../AtRate.ts"
import type { Listening, SpeechRecogniser, SttOptions, Transcript } from "../SpeechToText.ts"
import { Health, mostFailures } from "./Health.ts"

/** The usual rates of lines. Sound is resampled for a provider that takes others. */
const rates = [16_000, 8_000] as const
/** The most frames kept of one stretch: longer than the longest. */
const mostFrames = 32_000 / frameMs
const blockFrames = 100
/** The most results that wait. The conversation takes each at once, so more than a few mean that it is gone. */
const mostResults = 256

interface Provider {
  readonly recogniser: SpeechRecogniser
  readonly health: Health
}

/** A finalised stretch of speech without a final result. */
interface Stretch {
  readonly frames: ReadonlyArray<Int16Array>
  readonly started_ms: number
  readonly ended_ms: number
  /** The position of the provider that recognises it now. */
  provider: number
  text: string | null | undefined
}

/** Providers by their names, in the order in which they are asked. */
export const make = (recognisers: ReadonlyMap<string, SpeechRecogniser>): SpeechRecogniser => {
  const providers = Array.from(recognisers, ([name, recogniser]): Provider => ({
    recogniser,
    health: new Health("stt", name),
  }))
  return { rates, open: (options) => open(providers, options) }
}

const open = Effect.fnUntraced(function* (providers: ReadonlyArray<Provider>, options: SttOptions) {
  const scope = yield* Effect.scope
  const results = yield* Queue.sliding<Transcript>(mostResults)
  const relay = new Relay(yield* Health.order(providers), options, scope, results)
  yield* relay.begin
  return {
    push: (frame: Int16Array) => relay.push(frame),
    finalise: (started_ms: number, ended_ms: number) => relay.finalise(started_ms, ended_ms),
    discard: () => relay.discard(),
    results: Stream.fromQueue(results),
  }
})

/** The speech of one call on its way to the providers. */
class Relay {
  readonly #providers: ReadonlyArray<Provider>
  readonly #options: SttOptions
  readonly #scope: Scope.Scope
  readonly #results: Queue.Queue<Transcript>
  /** The open recognisers by their provider's position. Each is opened when it is first needed. */
  readonly #listenings: Array<Listening> = []
  /** The provider that hears now, and the one that hears the next stretch. */
  #active = 0
  #following = 0
  /** How many stretches in a row the active provider failed in this call. */
  #failures = 0
  #frames: Array<Int16Array> = []
  #waiting: Array<Stretch> = []

  constructor(
    providers: ReadonlyArray<Provider>,
    options: SttOptions,
    scope: Scope.Scope,
    results: Queue.Queue<Transcript>,
  ) {
    this.#providers = providers
    this.#options = options
    this.#scope = scope
    this.#results = results
  }

  get begin() {
    return this.#listen(0)
  }

  push(frame: Int16Array): void {
    if (this.#frames.length === 0 && this.#waiting.length === 0 && this.#active !== this.#following) {
      this.#active = this.#following
      this.#failures = 0
    }
    this.#frames.push(frame)
    if (this.#frames.length > mostFrames) this.#frames.shift()
    this.#listenings[this.#active]?.push(frame)
  }

  finalise(started_ms: number, ended_ms: number): void {
    this.#waiting.push({ frames: this.#frames, started_ms, ended_ms, provider: this.#active, text: undefined })
    this.#frames = []
    this.#listenings[this.#active]?.finalise(started_ms, ended_ms)
  }

  discard(): void {
    this.#frames = []
    this.#listenings[this.#active]?.discard()
  }

  /** Opens a provider if it is not open, and takes its results until the call ends. */
  readonly #listen = (at: number): Effect.Effect<Listening | undefined> =>
    Effect.gen({ self: this }, function* () {
      const provider = this.#providers[at]
      const known = this.#listenings[at]
      if (provider === undefined || known !== undefined) return known
      const listening = yield* openAt(provider.recogniser, this.#options).pipe(Scope.provide(this.#scope))
      this.#listenings[at] = listening
      yield* Effect.forkIn(
        Stream.runForEach(listening.results, (result) => this.#take(at, provider.health, result)),
        this.#scope,
      )
      return listening
    })

  readonly #take = (at: number, health: Health, result: Transcript) =>
    Effect.gen({ self: this }, function* () {
      if (!result.final) return void Queue.offerUnsafe(this.#results, result)
      const stretch = this.#waiting.find(
        ({ ended_ms, provider, started_ms }) =>
          provider === at && started_ms === result.started_ms && ended_ms === result.ended_ms,
      )
      if (stretch === undefined) return
      if (result.text === null) {
        yield* health.fail("it recognised nothing", result.isRefused)
        if (at === this.#active) this.#failures++
        if (yield* this.#passOn(stretch, health)) return
      } else {
        yield* health.succeed
        if (at === this.#active) this.#failures = 0
      }
      this.#publishInOrder(stretch, result.text)
    })

  /** Gives the stretch to the next provider; false if there is none. */
  readonly #passOn = (stretch: Stretch, health: Health) =>
    Effect.gen({ self: this }, function* () {
      const at = stretch.provider + 1
      const listening = yield* this.#listen(at)
      const next = this.#providers[at]
      if (listening === undefined || next === undefined) return false
      yield* health.giveWay(next.health)
      if (this.#failures >= mostFailures) this.#following = Math.max(this.#following, at)
      stretch.provider = at
      for (const [index, frame] of stretch.frames.entries()) {
        listening.push(frame)
        // Half a minute of sound may need resampling, which would block the event loop for too long.
        if (index % blockFrames === blockFrames - 1) yield* Effect.yieldNow
      }
      listening.finalise(stretch.started_ms, stretch.ended_ms)
      return true
    })

  /** Delivers results in the order in which the stretches were spoken. */
  #publishInOrder(stretch: Stretch, text: string | null): void {
    stretch.text = text
    // A provider that cannot keep up drops the oldest speech without a result.
    const dropped = this.#waiting.slice(0, this.#waiting.indexOf(stretch))
    for (const earlier of dropped) if (earlier.provider === stretch.provider) earlier.text ??= ""
    for (let [first] = this.#waiting; first?.text !== undefined; [first] = this.#waiting) {
      const { ended_ms, started_ms, text } = first
      this.#waiting.shift()
      Queue.offerUnsafe(this.#results, { final: true, text, started_ms, ended_ms })
    }
  }
}
