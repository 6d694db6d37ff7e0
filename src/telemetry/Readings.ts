/** Metrics whose values are read when a scraper asks for them. */
import { Effect, Metric } from "effect"

export interface Reading {
  readonly name: string
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Whether the value never falls. By default the metric is a gauge. */
  readonly isCounter?: boolean
  readonly read: () => number
}

const nothing = { update: () => {}, modify: () => {} }

/** Registers the readings until the scope closes. */
export const register = Effect.fnUntraced(function* (readings: ReadonlyArray<Reading>) {
  const context = yield* Effect.context()
  const registrations = readings.map(({ attributes, description, isCounter, name, read }) => {
    const options = attributes === undefined ? { description } : { description, attributes }
    return isCounter === true
      ? Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), context, {
          ...nothing,
          get: () => ({ count: read(), incremental: true }),
        })
      : Metric.registerUnsafe(Metric.gauge(name, options), context, { ...nothing, get: () => ({ value: read() }) })
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => registrations.forEach(({ remove }) => remove())))
})
