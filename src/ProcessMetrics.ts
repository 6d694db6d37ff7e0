/** Metrics of the process itself, under the names that dashboards for Node use. Read when they are asked for. */
import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { cpuUsage, memoryUsage } from "node:process"

/** Milliseconds between two looks at the event loop: its lag is what they come late. */
const resolution = 10

interface Reading {
  readonly name: string
  readonly description: string
  readonly read: () => number
}

const memory: ReadonlyArray<Reading> = [
  {
    name: "process_resident_memory_bytes",
    description: "Memory of the process in RAM.",
    read: () => memoryUsage.rss(),
  },
  {
    name: "nodejs_heap_size_used_bytes",
    description: "Memory of JavaScript objects.",
    read: () => memoryUsage().heapUsed,
  },
  {
    name: "nodejs_external_memory_bytes",
    description: "Memory outside of the heap that objects hold, buffers among them.",
    read: () => memoryUsage().external,
  },
]

const cpu: Reading = {
  name: "process_cpu_seconds_total",
  description: "Processor time, user and system.",
  read: () => (cpuUsage().user + cpuUsage().system) / 1e6,
}

/** The lag since the last scrape: reading the last of these resets the histogram. */
const eventLoop = ({ max, percentile, reset }: Record<"max", () => number> & Lag): ReadonlyArray<Reading> => [
  {
    name: "nodejs_eventloop_lag_p50_seconds",
    description: "How late the event loop was, since the last scrape: median.",
    read: () => percentile(50),
  },
  {
    name: "nodejs_eventloop_lag_p99_seconds",
    description: "How late the event loop was, since the last scrape: 99th percentile.",
    read: () => percentile(99),
  },
  {
    name: "nodejs_eventloop_lag_max_seconds",
    description: "How late the event loop was, since the last scrape: at most.",
    read: () => {
      const most = max()
      reset()
      return most
    },
  },
]

interface Lag {
  readonly percentile: (percent: number) => number
  readonly reset: () => void
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const delays = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const delays = monitorEventLoopDelay({ resolution })
        delays.enable()
        return delays
      }),
      (delays) => Effect.sync(() => delays.disable()),
    )
    /** Nanoseconds from one look to the next; nothing was measured yet while they are none. */
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1_000) || 0
    const lag = eventLoop({
      max: () => (delays.count === 0 ? 0 : late(delays.max)),
      percentile: (percent) => (delays.count === 0 ? 0 : late(delays.percentile(percent))),
      reset: () => delays.reset(),
    })
    const nothing = { update: () => {}, modify: () => {} }
    const registrations = [
      ...[...memory, ...lag].map(({ description, name, read }) =>
        Metric.registerUnsafe(Metric.gauge(name, { description }), context, {
          ...nothing,
          get: () => ({ value: read() }),
        }),
      ),
      Metric.registerUnsafe(Metric.counter(cpu.name, { description: cpu.description, incremental: true }), context, {
        ...nothing,
        get: () => ({ count: cpu.read(), incremental: true }),
      }),
    ]
    yield* Effect.addFinalizer(() => Effect.sync(() => registrations.forEach(({ remove }) => remove())))
  }),
)
