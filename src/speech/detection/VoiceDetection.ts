/**
 * The voice detectors of all lines. They use Silero, in one process for the whole server, which starts with the first
 * line. They use the level if Silero is switched off, cannot be loaded, has ended or is late (decision 0054).
 */
import { Config, Context, Effect, Latch, Layer, Metric, Queue, type Scope } from "effect"
import * as Readings from "../../telemetry/Readings.ts"
import { VoiceActivity } from "../VoiceActivity.ts"
import { Batches } from "./Batches.ts"
import { SileroDetector } from "./SileroDetector.ts"
import * as SileroProcess from "./SileroProcess.ts"
import type { VoiceDetector } from "./VoiceDetector.ts"

const setting = Config.Literals(["silero", "level"], "PARLEY_VOICE_DETECTION").pipe(
  Config.withDefault("silero" as const),
)

/** The pause before the next process doubles up to the longest. It is reset after a process that ran for `lastedMs`. */
const firstPauseMs = 250
const longestPauseMs = 60_000
const lastedMs = 60_000

const lateEveryMs = 60_000

const batchSeconds = Metric.histogram("parley_voice_detector_batch_seconds", {
  description: "From sending a batch of sound to Silero until its answer.",
  boundaries: [0.002, 0.005, 0.01, 0.02, 0.032, 0.064, 0.128, 0.256, 0.512],
})

export interface VoiceDetection {
  /** Opens a detector for a line of this account whose sound has this rate. It is closed with the scope. */
  readonly open: (rate: number, account: string) => Effect.Effect<VoiceDetector, never, Scope.Scope>
}

/** Detects by the level alone, which needs no process. */
export const byLevel: VoiceDetection = { open: () => Effect.sync(() => new VoiceActivity()) }

export const VoiceDetection = Context.Reference<VoiceDetection>("speech/detection/VoiceDetection", {
  defaultValue: () => byLevel,
})

/** Runs one process after another, until one says that no process can run here. */
const supervise = Effect.fnUntraced(function* (batches: Batches, run: typeof SileroProcess.run) {
  const context = yield* Effect.context()
  const answered = (ms: number) => batchSeconds.updateUnsafe(ms / 1_000, context)
  let pauseMs = firstPauseMs
  while (true) {
    let readyAt = Number.POSITIVE_INFINITY
    const ready = () => {
      readyAt = performance.now()
    }
    const { isFinal, why } = yield* run(batches, { ready, answered })
    if (isFinal) {
      batches.abandon()
      const note = "voice detector unavailable: calls detect voice by its level"
      return yield* Effect.annotateLogs(Effect.logWarning(note), { why })
    }
    if (performance.now() - readyAt > lastedMs) pauseMs = firstPauseMs
    yield* Effect.annotateLogs(Effect.logWarning("voice detector process ended: a new one is started"), {
      why,
      pauseMs,
    })
    yield* Effect.sleep(pauseMs)
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs)
  }
})

/** Logs at most once a minute, because a late model falls behind on many lines at once, again and again. */
const reportLateness = Effect.fnUntraced(function* (
  lateness: Queue.Dequeue<null>,
  detectors: ReadonlySet<SileroDetector>,
) {
  while (true) {
    yield* Queue.take(lateness)
    const by_level = [...detectors].filter(({ isBySilero }) => !isBySilero).length
    const note = "voice detector late: lines detect voice by its level until it is in time again"
    yield* Effect.annotateLogs(Effect.logWarning(note), { by_level, lines: detectors.size })
    yield* Effect.sleep(lateEveryMs)
  }
})

const linesBy = (detectors: ReadonlySet<SileroDetector>, detector: "silero" | "level"): Readings.Reading => ({
  name: "parley_voice_lines",
  description: "Lines that could use Silero, by what detects voice on them now.",
  attributes: { detector },
  read: () => [...detectors].filter(({ isBySilero }) => isBySilero === (detector === "silero")).length,
})

const readingsOf = (
  detectors: ReadonlySet<SileroDetector>,
  fallbacks: () => number,
): ReadonlyArray<Readings.Reading> => [
  linesBy(detectors, "silero"),
  linesBy(detectors, "level"),
  {
    name: "parley_voice_detector_fallbacks_total",
    description: "How often a line went back to the level because Silero was late or had ended.",
    isCounter: true,
    read: fallbacks,
  },
]

/** Exported for tests, which run a process of their own. */
export const make = Effect.fnUntraced(function* (run: typeof SileroProcess.run) {
  const batches = new Batches()
  const wanted = Latch.makeUnsafe(false)
  const lateness = yield* Queue.sliding<null>(1)
  const detectors = new Set<SileroDetector>()
  let fallbacks = 0
  yield* Readings.register(readingsOf(detectors, () => fallbacks))
  yield* Effect.forkScoped(Effect.andThen(wanted.await, supervise(batches, run)))
  yield* Effect.forkScoped(reportLateness(lateness, detectors))
  const fellBack = () => {
    fallbacks++
    Queue.offerUnsafe(lateness, null)
  }
  const open = (rate: number, account: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const opened = batches.open(rate, account)
        if (opened === null) return null
        wanted.openUnsafe()
        const detector = new SileroDetector(opened.line, fellBack)
        detectors.add(detector)
        return { detector, close: opened.close }
      }),
      (opened) =>
        Effect.sync(() => {
          if (opened === null) return
          detectors.delete(opened.detector)
          opened.close()
        }),
    ).pipe(
      Effect.flatMap((opened) =>
        opened === null ? byLevel.open(rate, account) : Effect.succeed<VoiceDetector>(opened.detector),
      ),
    )
  return { open }
})

export const layer = Layer.effect(
  VoiceDetection,
  Effect.gen(function* () {
    return (yield* setting) === "level" ? byLevel : yield* make(SileroProcess.run)
  }),
)
