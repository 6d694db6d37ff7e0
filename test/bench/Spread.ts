/**
 * One campaign over three processes, beside the same campaign over one. First, the processes are the limit: each carries
 * a part of the campaign's slots. Then PostgreSQL is: the carrier answers at once.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { form, type Line, prepare } from "./support/Dialling.ts"
import { median, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** Every cap is in force, and high enough not to be the limit. */
const caps = { concurrent_max: 2_000, calls_per_minute: 1_000_000, calls_per_day: 1_000_000 }
const slots = 2_000

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "3" },
      contacts: { type: "string", default: "20000" },
      talks: { type: "string", default: "1500" },
      "calls-per-process": { type: "string", default: "200" },
      speed: { type: "string", default: "4" },
    },
  })
  const postgres = await Postgres.start()
  const rounds = Number(values.rounds)
  const carried = { LAB_SPEED: values.speed, PARLEY_CALLS_PER_PROCESS: values["calls-per-process"] }
  await compare(`each carries ${carried.PARLEY_CALLS_PER_PROCESS} calls, talks at LAB_SPEED ${values.speed}`, "1.8 ×", {
    postgres,
    rounds,
    contacts: Number(values.talks),
    env: carried,
    digits: (at) => at % 60,
  })
  await compare("a carrier of 0 ms, so PostgreSQL is the limit", "1 ×", {
    postgres,
    rounds,
    contacts: Number(values.contacts),
    env: { LAB_SPEED: "1000" },
    digits: (at) => 70 + (at % 5),
  })
  machine()
  await postgres.stop()
}

interface Race {
  readonly postgres: Postgres.Postgres
  readonly rounds: number
  readonly contacts: number
  readonly env: Record<string, string>
  /** The last two digits of a number. */
  readonly digits: (at: number) => number
}

let made = 0

const compare = async (what: string, target: string, race: Race) => {
  const rates = { one: [] as Array<number>, three: [] as Array<number> }
  const shares: Array<ReadonlyArray<number>> = []
  const one = [await Parley.start(race.postgres, { env: race.env })]
  for (let round = 0; round < race.rounds; round++) rates.one.push((await dialAll(race, one)).rate)
  for (const parley of one) await parley.stop()
  const three = [1, 2, 3].map(() => Parley.start(race.postgres, { env: race.env }))
  const all = await Promise.all(three)
  for (let round = 0; round < race.rounds; round++) {
    const { rate, share } = await dialAll(race, all)
    rates.three.push(rate)
    shares.push(share)
  }
  for (const parley of all) await parley.stop()
  heading(`One campaign of ${whole(slots)} slots: ${what}, ${race.rounds} rounds`)
  table(
    ["processes", "contacts a second, median", "lowest", "against one", "target"],
    [
      ["1", whole(median(rates.one)), whole(Math.min(...rates.one)), times(1), ""],
      [
        "3",
        whole(median(rates.three)),
        whole(Math.min(...rates.three)),
        times(median(rates.three) / median(rates.one)),
        target,
      ],
    ],
  )
  note(`Calls by process, by round: ${shares.map((share) => share.map(whole).join(" · ")).join("; ")}.`)
}

/** Contacts a second from the first start to the last end of a call, by the database's clock, and calls by process. */
const dialAll = async ({ contacts, digits, postgres }: Race, [first]: ReadonlyArray<Parley.Parley>) => {
  if (first === undefined) throw new Error("No process is there")
  const slug = `spread-${made++}`
  const client = await first.account(slug, caps)
  const line: Line = await prepare(client)
  const settings = { name: "all", max_concurrent_calls: String(slots), max_calls_per_minute: "1000000" }
  const csv = Buffer.from(`phone_number\n${numbers(contacts, digits).join("\n")}\n`)
  const { id } = await client.request("POST", "/api/v1/campaigns", form({ ...settings, ...line }, csv))
  await client.request("POST", `/api/v1/campaigns/${id}/start`)
  while ((await client.request("GET", `/api/v1/campaigns/${id}`)).status !== "completed") await sleep(200)
  const database = await first.databaseOf(slug)
  const [row] = await postgres.query(
    database,
    "select count(*)::int as contacts, extract(epoch from max(ended_at) - min(started_at))::float8 as seconds from calls",
  )
  const share = await postgres.query(database, "select count(*)::int as calls from calls group by node_id order by 1")
  return { rate: Number(row.contacts) / Number(row.seconds), share: share.map(({ calls }) => Number(calls)) }
}

const numbers = (count: number, digits: (at: number) => number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+49151${100_000 + at}${`${digits(at)}`.padStart(2, "0")}`)
