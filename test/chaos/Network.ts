/** The phone network of a chaos run: how Parley reaches it, its faults, and its account of what happened. */
import { spawn } from "node:child_process"
import { createWriteStream, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Cluster } from "./Cluster.ts"
import type { Dice } from "./Dice.ts"
import type { CarrierTrouble } from "./Faults.ts"
import type { CarrierFact, Event } from "./History.ts"

/** What is known at the end of a run. */
export interface Ended {
  readonly cluster: Cluster
  readonly events: ReadonlyArray<Event>
  /** Parley's call ids by the carrier's. */
  readonly callIds: ReadonlyMap<string, string>
}

export interface Network {
  /** Settings of all Parley processes. */
  readonly env: Record<string, string>
  /** Additional settings of one process. */
  readonly envOf?: (process: number) => Record<string, string>
  /** The body that creates a phone number, without the number itself. */
  readonly number: Record<string, any>
  /** The last two digits of a number, which determine its behaviour. */
  readonly digits: (dice: Dice) => string
  readonly troubles: ReadonlyArray<CarrierTrouble>
  /** The carrier's ground truth at the end. */
  readonly facts: (ended: Ended) => Promise<ReadonlyArray<CarrierFact>>
  readonly stop: () => Promise<void>
}

/** Phone time relative to real time, so that calls take a second or two. */
const speed = 40

/** Mostly people, and some of everything else. */
const someDigits = (dice: Dice) => String(dice.chance(0.55) ? dice.whole(0, 64) : dice.whole(65, 99)).padStart(2, "0")

/**
 * The lab is a network inside each process, so its calls end when the process dies or is frozen. A call without an end
 * in the log ended then.
 */
export const lab = (): Network => ({
  env: { LAB_SPEED: String(speed) },
  number: { carrier: "lab" },
  digits: someDigits,
  troubles: [],
  facts: async ({ cluster, events }) => cluster.labLogs().flatMap((life) => factsOf(life, events)),
  stop: async () => {},
})

/** A carrier in a separate process, whose calls continue whatever happens to Parley (`carrier/main.ts`). */
export const twilio = async (
  seed: number,
  folder: string,
  publicUrl: string,
  more: ReadonlyArray<{ readonly kind: string; readonly faults: object }> = [],
): Promise<Network> => {
  const log = join(folder, "carrier.jsonl")
  const script = join(import.meta.dirname, "carrier/main.ts")
  const child = spawn(
    process.execPath,
    [script, "--port", "0", "--log", log, "--seed", String(seed), "--speed", String(speed)],
    { stdio: ["ignore", "pipe", "pipe"] },
  )
  child.stderr.pipe(createWriteStream(join(folder, "carrier.log")))
  const kill = () => child.kill("SIGKILL")
  process.on("exit", kill)
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const [, at] = /is ready at (http:\S+)/.exec(line) ?? []
      if (at !== undefined) resolve(at)
    })
    child.once("exit", () => reject(new Error("The carrier ended before it was ready")))
  })
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`The carrier answered ${response.status}: ${await response.text()}`)
  }
  const trouble = (kind: string, faults: object): CarrierTrouble => ({
    kind,
    begin: () => post("/control", faults),
    end: () => post("/control", { reset: true }),
  })
  return {
    // The carrier's failures are intended, so turn off the breaker: only operators pause campaigns here.
    env: { TWILIO_API_URL: url, PARLEY_PUBLIC_URL: publicUrl, PARLEY_BREAKER_PERCENT: "0" },
    number: {
      carrier: "twilio",
      carrier_config: { account_sid: `AC${"0".repeat(32)}`, auth_token: "f".repeat(32), calls_per_second: 100 },
    },
    digits: someDigits,
    troubles: [
      trouble("orders time out", { create: { timeout_before: 0.3, timeout_after: 0.3 } }),
      trouble("orders fail, made or not", { create: { error_before: 0.3, error_after: 0.3, cut_after: 0.2 } }),
      trouble("orders are slow", { create: { delay_ms: 1_500 }, api: { delay_ms: 800 } }),
      trouble("too many requests", { create: { too_many: 0.6 } }),
      trouble("reports are lost", { callbacks: { drop: 0.7 } }),
      trouble("reports come twice, late and out of order", {
        callbacks: { duplicate: 0.7, reorder: 0.7, reorder_ms: 3_000 },
      }),
      trouble("a storm of reports", { callbacks: { storm: 10, reorder_ms: 2_000 } }),
      { kind: "every report ever made, again", begin: () => post("/storm", { times: 2 }), end: async () => {} },
      trouble("look-ups fail", { api: { error: 0.5, timeout: 0.3 } }),
      ...more.map(({ faults, kind }) => trouble(kind, faults)),
    ],
    facts: async () => (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").flatMap(factOf),
    stop: async () => {
      process.off("exit", kill)
      kill()
    },
  }
}

const factOf = (line: string): ReadonlyArray<CarrierFact> => {
  if (!line.endsWith("}")) return []
  const { at, call_id, event, outcome, to } = JSON.parse(line)
  const more = event === "end" ? { outcome } : {}
  return [{ t: "carrier", event, ref: String(call_id), number: to, at: Date.parse(at), ...more }]
}

const factsOf = (
  { pid, text }: { readonly pid: number; readonly text: string },
  events: ReadonlyArray<Event>,
): ReadonlyArray<CarrierFact> => {
  const lines: ReadonlyArray<{ event: string; attempt_id: string; number: string; at: string }> = text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line))
  const own = events.filter((event) => event.t === "process").filter((event) => event.pid === pid)
  const stops = own.filter(({ event }) => event === "exit" || event === "pause").map(({ at }) => at)
  const stoppedAfter = (at: number) => Math.min(...stops.filter((stop) => stop >= at), Number.POSITIVE_INFINITY)
  const ends = new Map(lines.flatMap((line) => (line.event === "end" ? [[line.attempt_id, Date.parse(line.at)]] : [])))
  return lines.flatMap((line): ReadonlyArray<CarrierFact> => {
    const at = Date.parse(line.at)
    const fact = { t: "carrier", ref: line.attempt_id, number: line.number } as const
    if (line.event === "ring" || line.event === "answer") return [{ ...fact, event: line.event, at }]
    if (line.event !== "invite") return []
    const end = Math.min(ends.get(line.attempt_id) ?? Number.POSITIVE_INFINITY, stoppedAfter(at))
    const over: ReadonlyArray<CarrierFact> = Number.isFinite(end)
      ? [{ ...fact, event: "end", at: end, outcome: null }]
      : []
    return [{ ...fact, event: "create", at }, ...over]
  })
}
