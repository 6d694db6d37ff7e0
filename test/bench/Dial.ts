/**
 * The dial path. First, how many contacts a second one account takes from `pending` to their end, with every cap on and
 * a carrier that answers at once, beside job queues on the same PostgreSQL. Then a long campaign with real
 * conversations in the lab: whether its slots are in use, whether memory stays flat, and how long the event loop is
 * held.
 */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as Child from "./support/Child.ts"
import { form, prepare } from "./support/Dialling.ts"
import { freePort, watchLoop } from "./support/Inspector.ts"
import { median, megabytes, ms, percent, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** Every cap is in force, and high enough not to be the limit. */
const caps = { concurrent_max: 2_000, calls_per_minute: 1_000_000, calls_per_day: 1_000_000 }
const window = { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], start: "00:00", end: "24:00" }

/** A pack with a rule of each kind, which refuses nothing: `--rules`. */
const ownRules = join(import.meta.dirname, "rules")

interface Throughput {
  readonly contacts: number
  readonly seconds: number
}

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      contacts: { type: "string", default: "20000" },
      rounds: { type: "string", default: "3" },
      long: { type: "string", default: "100000" },
      slots: { type: "string", default: "1000" },
      speed: { type: "string", default: "8" },
      profile: { type: "string" },
      rules: { type: "boolean", default: false },
    },
  })
  const postgres = await Postgres.start()
  const profile = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  const contacts = Number(values.contacts)
  if (contacts > 0) await throughput(postgres, contacts, Number(values.rounds), profile, values.rules)
  if (Number(values.long) > 0) {
    await endurance(postgres, { contacts: Number(values.long), slots: Number(values.slots), speed: values.speed })
  }
  machine()
  await postgres.stop()
}

const throughput = async (
  postgres: Postgres.Postgres,
  contacts: number,
  rounds: number,
  node: Array<string>,
  rules: boolean,
) => {
  const own = rules ? { rule_packs: JSON.stringify(["every-kind"]), subject: "bench" } : {}
  // At this speed a busy number answers after a millisecond, so only the dial path is measured.
  const env = { LAB_SPEED: "1000", PARLEY_PRICES_FILE: "examples/prices.json", PARLEY_RULES_DIR: ownRules }
  const parley = await Parley.start(postgres, { env, node })
  const seen = {
    parley: [] as Array<number>,
    money: [] as Array<number>,
    boss: [] as Array<number>,
    graphile: [] as Array<number>,
  }
  for (let round = 0; round < rounds; round++) {
    const { contacts: dialled, seconds } = await dialAll(postgres, parley, `dial-${round}`, contacts, own)
    seen.parley.push(dialled / seconds)
    const limited = await dialAll(postgres, parley, `money-${round}`, contacts, {
      ...own,
      max_spend: "999999999",
    })
    seen.money.push(limited.contacts / limited.seconds)
    const boss = await peer(postgres, "PgBossLoop.ts", `boss_${round}`, { jobs: contacts, batch: 200 })
    seen.boss.push(boss)
    seen.graphile.push(await peer(postgres, "GraphileWorker.ts", `graphile_${round}`, { jobs: contacts }))
  }
  await parley.stop()
  heading(`Dial path: ${whole(contacts)} contacts, one account, every cap on, a carrier of 0 ms, ${rounds} rounds`)
  const against = (rates: ReadonlyArray<number>) =>
    times(median(seen.parley.map((rate, at) => rate / (rates[at] ?? 1))))
  table(
    ["what", "Parley is", "a second, median", "lowest"],
    [
      [
        "Parley: contacts from pending to their end",
        times(1),
        whole(median(seen.parley)),
        whole(Math.min(...seen.parley)),
      ],
      [
        "Parley: the same, with a limit on spending (max_spend)",
        against(seen.money),
        whole(median(seen.money)),
        whole(Math.min(...seen.money)),
      ],
      [
        "pg-boss: fetch and complete, 4 loops, batches of 200",
        against(seen.boss),
        whole(median(seen.boss)),
        whole(Math.min(...seen.boss)),
      ],
      [
        "graphile-worker: tasks that do nothing, 20 at once",
        against(seen.graphile),
        whole(median(seen.graphile)),
        whole(Math.min(...seen.graphile)),
      ],
    ],
  )
}

/** Seconds from the first start to the last end of a call of the campaign, by the database's clock. */
const dialAll = async (
  postgres: Postgres.Postgres,
  parley: Parley.Parley,
  slug: string,
  contacts: number,
  limits: Readonly<Record<string, string>> = {},
): Promise<Throughput> => {
  const client = await parley.account(slug, caps)
  const line = await prepare(client)
  const busy = numbers(contacts, (at) => 70 + (at % 5))
  const settings = {
    name: "all",
    max_concurrent_calls: "2000",
    max_calls_per_minute: "1000000",
    calling_window: JSON.stringify({ ...window, time_zone: "contact" }),
    ...limits,
  }
  const { id } = await client.request("POST", "/api/v1/campaigns", form({ ...settings, ...line }, busy))
  await client.request("POST", `/api/v1/campaigns/${id}/start`)
  while ((await client.request("GET", `/api/v1/campaigns/${id}`)).status !== "completed") await sleep(200)
  const [row] = await postgres.query(
    await parley.databaseOf(slug),
    "select count(*)::int as contacts, extract(epoch from max(ended_at) - min(started_at))::float8 as seconds from calls",
  )
  return row
}

const numbers = (count: number, lastTwo: (at: number) => number): Buffer =>
  Buffer.from(
    ["phone_number,first_name"]
      .concat(
        Array.from({ length: count }, (_, at) => `+49151${100_000 + at}${`${lastTwo(at)}`.padStart(2, "0")},Ada${at}`),
      )
      .join("\n"),
  )

const peer = async (
  postgres: Postgres.Postgres,
  script: string,
  database: string,
  question: object,
): Promise<number> => {
  await postgres.query("postgres", `create database ${database}`)
  const answer = await Child.ask<{ readonly done: number; readonly ms: number }>(`test/bench/peers/${script}`, {
    url: postgres.urlOf(database),
    ...question,
  })
  await postgres.query("postgres", `drop database ${database}`)
  return (answer.done / answer.ms) * 1_000
}

interface Endurance {
  readonly contacts: number
  readonly slots: number
  readonly speed: string
}

interface Sample {
  readonly at: number
  readonly active: number
  readonly dialed: number
  readonly pending: number
  readonly memory: number
}

const endurance = async (postgres: Postgres.Postgres, { contacts, slots, speed }: Endurance) => {
  const inspector = await freePort()
  const parley = await Parley.start(postgres, {
    env: { LAB_SPEED: speed },
    node: [`--inspect=127.0.0.1:${inspector}`],
  })
  const client = await parley.account("long", caps)
  const line = await prepare(client)
  const settings = { name: "long", max_concurrent_calls: String(slots) }
  const list = numbers(contacts, (at) => at % 60)
  const { id } = await client.request("POST", "/api/v1/campaigns", form({ ...settings, ...line }, list))
  const database = await parley.databaseOf("long")
  const loop = await watchLoop(inspector)
  await client.request("POST", `/api/v1/campaigns/${id}/start`)
  const began = performance.now()
  const samples: Array<Sample> = []
  while (true) {
    await sleep(500)
    const [row] = await postgres.query(
      database,
      "select active_calls as active, dialed, pending, pending + in_progress as left from campaign_progress",
    )
    samples.push({ ...row, at: (performance.now() - began) / 1_000, memory: Child.memoryOf(parley.pid).now })
    if (row.left === 0) break
  }
  const held = await loop()
  await parley.stop()

  // From the first moment at which all slots were in use until no contact was left to dial.
  const filled = samples.findIndex(({ active }) => active === slots)
  const steady = samples.slice(Math.max(0, filled)).filter(({ pending }) => pending > 0)
  const use = steady.reduce((sum, { active }) => sum + active, 0) / (steady.length * slots)
  const seconds = samples.at(-1)?.at ?? 0
  heading(`A long campaign: ${whole(contacts)} contacts, ${whole(slots)} slots, conversations at LAB_SPEED ${speed}`)
  table(
    ["what", "target", "measured"],
    [
      ["slots in use while contacts were pending", "98 %", percent(use)],
      ["event loop held, p99", "", ms(held.p99)],
      ["event loop held, at worst", "50 ms", ms(held.max)],
      ["of its own: processor time in one turn, at worst", "50 ms", ms(held.own)],
      ["contacts a second", "", whole(contacts / seconds)],
    ],
  )
  note("Memory of the process and slots in use, by tenth of the campaign:")
  plot(samples, slots)
}

/** Prints a row for each tenth of the samples, with a bar as long as the memory in use. */
const plot = (samples: ReadonlyArray<Sample>, slots: number) => {
  const highest = Math.max(...samples.map(({ memory }) => memory))
  console.log("\n```")
  for (let tenth = 1; tenth <= 10; tenth++) {
    const sample = samples[Math.min(samples.length - 1, Math.ceil((samples.length * tenth) / 10) - 1)]
    if (sample === undefined) continue
    const bar = "█".repeat(Math.round((sample.memory / highest) * 40))
    const at = `${whole(sample.at)} s`.padStart(6)
    console.log(`${at} ${bar.padEnd(40)} ${megabytes(sample.memory).padStart(9)}  ${percent(sample.active / slots)}`)
  }
  console.log("```")
}
