/** Tracks whether a speech provider works. A provider that failed twice in a row rests for a while. */
import { Clock, Effect, Metric } from "effect"

/** Speech to text, or text to speech. */
type Kind = "stt" | "tts"

/**
 * How many failures in a row make a provider rest, and for how long. Asking a broken provider costs the caller seconds.
 */
export const mostFailures = 2
const restMs = 30_000

const failuresTotal = Metric.counter("parley_speech_failures_total", {
  description: "Texts that a speech provider did not speak, and stretches of speech that it did not recognise.",
  incremental: true,
})
const failOversTotal = Metric.counter("parley_speech_failovers_total", {
  description: "Texts and stretches of speech that another speech provider took over.",
  incremental: true,
})

export class Health {
  readonly kind: Kind
  readonly name: string
  #failures = 0
  #restsUntil = 0

  constructor(kind: Kind, name: string) {
    this.kind = kind
    this.name = name
  }

  /** Orders the providers: those that rest come last. */
  static readonly order = <A extends { readonly health: Health }>(providers: ReadonlyArray<A>) =>
    Effect.gen(function* () {
      const awake: Array<A> = []
      const resting: Array<A> = []
      for (const provider of providers) {
        if (yield* provider.health.isResting) resting.push(provider)
        else awake.push(provider)
      }
      return [...awake, ...resting]
    })

  readonly isResting = Effect.map(Clock.currentTimeMillis, (now) => now < this.#restsUntil)

  readonly succeed = Effect.sync(() => {
    this.#failures = 0
  })

  /**
   * Counts and logs a failure. A refusal of one agent's request does not make the provider rest, because it still
   * serves others.
   */
  readonly fail = (reason: string, isRefused = false) =>
    Effect.gen({ self: this }, function* () {
      if (!isRefused) this.#failures++
      yield* Metric.update(Metric.withAttributes(failuresTotal, { kind: this.kind, provider: this.name }), 1)
      yield* Effect.annotateLogs(Effect.logWarning("speech provider failed"), { ...this.#about, why: reason })
      if (this.#failures < mostFailures) return
      this.#restsUntil = (yield* Clock.currentTimeMillis) + restMs
    })

  /** Records that another provider takes over one text or stretch of speech. */
  readonly giveWay = (to: Health) =>
    Effect.gen({ self: this }, function* () {
      const about = { kind: this.kind, from: this.name, to: to.name }
      yield* Metric.update(Metric.withAttributes(failOversTotal, about), 1)
      yield* Effect.annotateLogs(Effect.logWarning("speech provider replaced"), about)
    })

  get #about() {
    return { kind: this.kind, provider: this.name }
  }
}
