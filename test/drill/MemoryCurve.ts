/**
 * The memory of a process over time. Resident memory includes garbage: under a steady load it rises and falls by 100 MB,
 * so its slope over some minutes does not show a leak. The live heap is what a leak makes grow.
 */
import { heldBy, inspectorPort } from "../bench/support/Inspector.ts"
import { atMost, type Figure } from "./Figure.ts"
import type { Member } from "./Installation.ts"
import * as Metrics from "./Metrics.ts"

/** The environment of a process that can be watched. Its young generation is that of `npm start`. */
export const environment = { NODE_OPTIONS: "--inspect=127.0.0.1:0 --max-semi-space-size=16" }

const lookEveryMs = 15_000
/** Milliseconds in which a new process may grow while its code is compiled, and its caches and pools fill. */
const warmUpMs = 600_000
/** In a shorter time, the live heap's variation of some MB would look like growth. */
const shortestMs = 3_000_000

export interface Reading {
  /** Milliseconds since the first reading. */
  readonly at: number
  readonly bytes: number
}

export interface MemoryCurve {
  readonly stop: () => void
  readonly figures: () => ReadonlyArray<Figure>
}

/** Reads the process's memory until it is stopped. Collects its garbage and logs both readings every `collectEveryMs`. */
export const watch = (member: Member, collectEveryMs: number, log: (line: string) => void): MemoryCurve => {
  const began = performance.now()
  const resident: Array<Reading> = []
  const live: Array<Reading> = []
  const look = async () => {
    const bytes = (await Metrics.read(member.url)).get("process_resident_memory_bytes") ?? 0
    resident.push({ at: performance.now() - began, bytes })
    return bytes
  }
  const collect = async () => {
    // Read first, because the collection lowers it.
    const before = await look()
    const bytes = await heldBy(inspectorPort(member.said()))
    const at = performance.now() - began
    live.push({ at, bytes })
    log(`${Math.round(at / 60_000)} min: ${megabytes(before)} MB resident, ${megabytes(bytes)} MB live`)
  }
  const looking = setInterval(() => void look().catch(() => {}), lookEveryMs)
  const collecting = setInterval(() => void collect().catch((error: unknown) => log(String(error))), collectEveryMs)
  return {
    stop: () => {
      clearInterval(looking)
      clearInterval(collecting)
    },
    figures: () => figuresOf(resident, live),
  }
}

const figuresOf = (resident: ReadonlyArray<Reading>, live: ReadonlyArray<Reading>): ReadonlyArray<Figure> => {
  const growth = megabytesAnHour(live.filter(({ at }) => at >= warmUpMs))
  const highest = (readings: ReadonlyArray<Reading>) =>
    readings.length === 0 ? "none" : `${megabytes(Math.max(...readings.map(({ bytes }) => bytes)))} MB`
  const [early, late] = [resident.filter(({ at }) => at < warmUpMs), resident.filter(({ at }) => at >= warmUpMs)]
  const shown = (what: string, value: string): Figure => ({ what, value, goal: "", isMet: true })
  return [
    (live.at(-1)?.at ?? 0) >= shortestMs
      ? atMost("growth of the live heap after ten minutes", growth, 20, " MB/h")
      : shown("growth of the live heap after ten minutes (needs --hours 1)", `${Math.round(growth)} MB/h`),
    shown("live heap, last", `${megabytes(live.at(-1)?.bytes ?? 0)} MB`),
    shown("highest resident memory, ten minutes; after", `${highest(early)}; ${highest(late)}`),
  ]
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

/** The slope of the readings by least squares. 0 if there are fewer than three. */
export const megabytesAnHour = (readings: ReadonlyArray<Reading>): number => {
  if (readings.length < 3) return 0
  const mean = (of: ReadonlyArray<number>) => of.reduce((sum, each) => sum + each, 0) / of.length
  const [x, y] = [mean(readings.map(({ at }) => at)), mean(readings.map(({ bytes }) => bytes))]
  const covariance = mean(readings.map(({ at, bytes }) => (at - x) * (bytes - y)))
  const variance = mean(readings.map(({ at }) => (at - x) ** 2))
  return ((covariance / variance) * 3_600_000) / 2 ** 20
}
