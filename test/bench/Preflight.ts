/**
 * A preflight of the largest contact list, and its effect on others: how long the process's event loop is held, and how
 * long a read by id takes meanwhile.
 */
import * as Child from "./support/Child.ts"
import { readListArguments } from "./support/Csv.ts"
import * as Dialling from "./support/Dialling.ts"
import * as Inspector from "./support/Inspector.ts"
import { median, megabytes, ms, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const everyDay = ["mon", "tue", "wed", "thu", "fri"]
/** A Monday, a quarter of an hour before the window opens. */
const starting_at = "2027-03-01T07:45:00Z"
const assumptions = { answer_rate: 0.4, voicemail_rate: 0.2, busy_rate: 0.05, average_call_seconds: 90, starting_at }

const campaigns: Record<string, Record<string, string>> = {
  "one attempt each, 1,000 slots": { max_concurrent_calls: "1000" },
  "three retries, calling window, 200 slots": {
    max_concurrent_calls: "200",
    retries_per_contact: "3",
    retry_delay_seconds: "3600",
    calling_window: JSON.stringify({ days: everyDay, start: "09:00", end: "18:00", time_zone: "contact" }),
  },
}

export const run = async (args: Array<string>) => {
  const { csv, profile, rounds, rows } = readListArguments(args)
  const postgres = await Postgres.start()
  const inspector = await Inspector.freePort()
  const parley = await Parley.start(postgres, { node: [`--inspect=127.0.0.1:${inspector}`, ...profile] })
  const owner = await parley.account("bench", {
    concurrent_max: 10_000,
    calls_per_minute: 100_000,
    calls_per_day: 1_000_000,
  })
  const line = await Dialling.prepare(owner)

  const found: Array<ReadonlyArray<string>> = []
  for (const [name, fields] of Object.entries(campaigns)) {
    const { id } = await owner.request("POST", "/api/v1/campaigns", Dialling.form({ name, ...line, ...fields }, csv))
    const preflight = () => owner.request("POST", `/api/v1/campaigns/${id}/preflight`, assumptions)
    const report = await preflight()
    const alone = await reads(owner, id, () => new Promise((resolve) => setTimeout(resolve, 2_000)))
    const loop = await Inspector.watchLoop(inspector)
    const memory = Child.watchPeak(parley.pid)
    const cpu = Child.cpuOf(parley.pid)
    const took: Array<number> = []
    const beside = await reads(owner, id, async () => {
      for (let round = 0; round < rounds; round++) {
        const began = performance.now()
        await preflight()
        took.push(performance.now() - began)
      }
    })
    const held = await loop()
    found.push([
      name,
      ms(median(took)),
      ms(Math.max(...took)),
      `${(((Child.cpuOf(parley.pid) - cpu) / took.length) * 1_000).toFixed(0)} ms`,
      `${ms(held.p99)} / ${ms(held.max)}`,
      `${ms(percentile(alone, 0.5))} / ${ms(percentile(alone, 0.99))}`,
      `${ms(percentile(beside, 0.5))} / ${ms(percentile(beside, 0.99))}`,
      megabytes(memory()),
      whole(report.attempts),
      report.ends_at,
    ])
  }

  heading(`Preflight: ${whole(rows.length)} contacts, ${rounds} rounds`)
  table(
    [
      "campaign",
      "median",
      "slowest",
      "CPU",
      "loop held, p99 / max",
      "read alone, p50 / p99",
      "read beside, p50 / p99",
      "memory",
      "attempts",
      "ends",
    ],
    found,
  )
  note("CPU is of a preflight and of the reads beside it. A read asks for the campaign by its id, one at a time.")
  machine()
  await parley.stop()
  await postgres.stop()
}

/** Reads one after another while `work` runs. Returns the milliseconds of each. */
const reads = async (
  owner: Parley.Client,
  id: string,
  work: () => Promise<unknown>,
): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  const over = new AbortController()
  const finished = work().finally(() => over.abort())
  while (!over.signal.aborted) {
    const began = performance.now()
    await owner.request("GET", `/api/v1/campaigns/${id}`)
    took.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await finished
  return took
}
