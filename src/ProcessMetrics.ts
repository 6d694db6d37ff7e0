/** Metrics of the process itself, under the names that dashboards for Node use. Read when they are asked for. */
import { Clock, Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { cpuUsage, memoryUsage, uptime } from "node:process"
import { version } from "./tenancy/Version.ts"
import * as Readings from "./telemetry/Readings.ts"

/** Milliseconds between two looks at the event loop: its lag is what they come late. */
const resolution = 10
/** The same for the histogram, whose looks are JavaScript. */
const lookMs = 20

const memoryAndCpu: ReadonlyArray<Readings.Reading> = [
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
  {
    name: "process_cpu_seconds_total",
    description: "Processor time, user and system.",
    isCounter: true,
    read: () => (cpuUsage().user + cpuUsage().system) / 1e6,
  },
  {
    name: "parley_build_info",
    description: "Always 1; the label is the release of this process.",
    attributes: { version },
    read: () => 1,
  },
]

/** The lag since the last scrape: reading the last of these resets the histogram. */
const eventLoop = ({ max, percentile, reset }: Record<"max", () => number> & Lag): ReadonlyArray<Readings.Reading> => [
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

const lags = Metric.histogram("nodejs_eventloop_lag_seconds", {
  description: "How late the event loop was, at each of 50 looks a second. No scraper resets it.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

/** Looks at the event loop until the scope closes. A held loop counts once, with all of its lag. */
const observeLags = Effect.gen(function* () {
  const context = yield* Effect.context()
  const clock = yield* Clock.Clock
  let lastLook = clock.monotonicTimeNanosUnsafe()
  const look = () => {
    const now = clock.monotonicTimeNanosUnsafe()
    lags.updateUnsafe(Math.max(0, Number(now - lastLook) / 1e9 - lookMs / 1_000), context)
    lastLook = now
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(look, lookMs).unref()),
    (timer) => Effect.sync(() => clearInterval(timer)),
  )
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
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
    const startedAt = (yield* Clock.currentTimeMillis) / 1_000 - uptime()
    yield* Readings.register([
      ...memoryAndCpu,
      ...lag,
      {
        name: "process_start_time_seconds",
        description: "When the process began, in seconds since 1970.",
        read: () => startedAt,
      },
    ])
    yield* observeLags
  }),
)
