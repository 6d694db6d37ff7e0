/**
 * How long no process dials after one goes: killed, drained, frozen, or killed alone and restarted. And how late
 * scheduled campaigns start, also while a process dies. Times of dials and starts are the database's own.
 */
import { parseArgs } from "node:util"
import { form, type Line, prepare } from "./support/Dialling.ts"
import { median, ms, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const wide = { concurrent_max: 2_000, calls_per_minute: 1_000_000, calls_per_day: 1_000_000 }
const slots = 10
/** Longer than the second for which a process acquires no further shards after it has acquired some. */
const pauseMs = 1_200
/** The number of accounts with scheduled campaigns. */
const accounts = 10

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "5" }, starts: { type: "string", default: "300" } },
  })
  // Each process adds a listener, and a round starts five processes.
  process.setMaxListeners(0)
  const bench = await setUp()
  const gaps: Record<Way, Array<Gap>> = { SIGKILL: [], SIGTERM: [], SIGSTOP: [], restart: [] }
  for (let round = 0; round < Number(values.rounds); round++) {
    gaps.SIGKILL.push(await bench.losing("SIGKILL"))
    gaps.SIGTERM.push(await bench.losing("SIGTERM"))
    gaps.restart.push(await bench.restarting())
  }
  gaps.SIGSTOP.push(await bench.losing("SIGSTOP"))

  heading(`Failover: a campaign of ${slots} slots, all in use, ${values.rounds} rounds`)
  const row = (what: string, target: string, way: Way, part: keyof Gap) => {
    const all = gaps[way].map((gap) => gap[part])
    return [what, target, ms(median(all)), ms(Math.max(...all))]
  }
  table(
    ["from … to", "target", "median", "longest"],
    [
      row("kill -9 of its process → another has the campaign", "1 s", "SIGKILL", "taken"),
      row("kill -9 of its process → another dials", "5 s", "SIGKILL", "dialled"),
      row("kill -9 of its process → its calls are settled", "30 s", "SIGKILL", "settled"),
      row("SIGTERM → another has the campaign", "500 ms", "SIGTERM", "taken"),
      row("SIGTERM → a call in progress has ended, another dials", "", "SIGTERM", "dialled"),
      row("kill -9 of the only one, started again, ready → it dials", "5 s", "restart", "dialled"),
      row("SIGSTOP → another has the campaign", "", "SIGSTOP", "taken"),
      row("SIGSTOP → its calls are settled, another dials", "30 s", "SIGSTOP", "dialled"),
    ],
  )

  const calm = await bench.lateness(Number(values.starts), false)
  const dying = await bench.lateness(Number(values.starts), true)
  heading(`Start lateness: ${values.starts} scheduled campaigns in ${accounts} accounts, over 20 s, two processes`)
  const late = (what: string, all: ReadonlyArray<number>) => [
    what,
    whole(all.length),
    ms(Math.min(...all)),
    ...[0.5, 0.99].map((share) => ms(percentile(all, share))),
    ms(Math.max(...all)),
  ]
  table(
    ["", "started", "earliest", "p50", "p99 (target 1 s)", "latest"],
    [late("both live", calm), late("one is killed in the middle", dying)],
  )
  note("Measured from `scheduled_at` to `started_at`, by the database's clock.")
  machine()
  await bench.stop()
}

type Way = "SIGKILL" | "SIGTERM" | "SIGSTOP" | "restart"

/** Times of a failover in milliseconds. */
interface Gap {
  readonly taken: number
  readonly dialled: number
  readonly settled: number
}

const setUp = async () => {
  const postgres = await Postgres.start()
  const platform = (text: string, values: ReadonlyArray<unknown> = []) =>
    postgres.query(Parley.platformDatabase, text, values)
  let made = 0

  /** Starts a process and finds its node. No other process may start at the same time. */
  const start = async () => {
    const began = new Date()
    const parley = await Parley.start(postgres, { env: { LAB_SPEED: "10" } })
    const [node] = await platform("select id from nodes where started_at > $1 order by started_at desc limit 1", [
      began,
    ])
    return { parley, node: String(node.id) }
  }

  /** Starts a campaign in its own account, and waits until every slot is in use. */
  const running = async (parley: Parley.Parley) => {
    const slug = `failover-${made++}`
    const client = await parley.account(slug, wide)
    const line = await prepare(client)
    const campaign = await client.request("POST", "/api/v1/campaigns", campaignOf(line, 2_000, slots))
    const database = await parley.databaseOf(slug)
    const query = (text: string, values: ReadonlyArray<unknown> = []) => postgres.query(database, text, values)
    const path = `/api/v1/campaigns/${campaign.id}`
    await client.request("POST", `${path}/start`)
    const stopThrough = async (living: Parley.Parley) => {
      const token = await living.signIn({ email: "owner@example.com", account: slug })
      await living.clientOf(token, slug).request("POST", `${path}/stop`)
    }
    await until(async () => {
      const [calls] = await query("select count(*)::int as live from calls where ended_at is null")
      return calls.live === slots
    })
    return { id: String(campaign.id), query, stopThrough }
  }

  /** Waits until the processes own equal shares of the work, and until the engine's pause after that is over. */
  const untilSettled = (nodes: ReadonlyArray<string>) =>
    until(async () => {
      const shares = await platform(
        "select count(*)::int as shards from shards where node_id = any($1::uuid[]) group by node_id",
        [nodes],
      )
      const isEven = shares.length === nodes.length && shares.every(({ shards }) => shards === shares[0].shards)
      if (isEven) await sleep(pauseMs)
      return isEven
    })

  const holderOf = async (id: string): Promise<string | null> => {
    const [row] = await platform("select node_id from dialling where campaign_id = $1", [id])
    return row?.node_id ?? null
  }

  /**
   * The times from the loss of a node until another node owns the campaign, until it dials, and until the calls of the
   * lost node are settled.
   */
  const gapOf = async (
    { id, query }: Awaited<ReturnType<typeof running>>,
    lost: { readonly node: string; readonly at: number },
    since = lost.at,
  ): Promise<Gap> => {
    let taken = 0
    let settled = 0
    while (true) {
      const now = Math.max(1, Date.now() - since)
      const holder = await holderOf(id)
      if (taken === 0 && holder !== null && holder !== lost.node) taken = now
      const [calls] = await query(
        `select count(*) filter (where started_at <= $1 and ended_at is null)::int as left_behind,
           min(started_at) filter (where started_at > $1 and node_id <> $2) as next from calls`,
        [new Date(lost.at), lost.node],
      )
      if (settled === 0 && calls.left_behind === 0) settled = now
      if (taken > 0 && settled > 0 && calls.next !== null) {
        return { taken, settled, dialled: Math.max(0, calls.next.getTime() - since) }
      }
      await sleep(20)
    }
  }

  return {
    losing: async (signal: "SIGKILL" | "SIGTERM" | "SIGSTOP"): Promise<Gap> => {
      const processes = [await start(), await start()] as const
      await untilSettled(processes.map(({ node }) => node))
      const campaign = await running(processes[0].parley)
      const holder = await holderOf(campaign.id)
      const [one, two] = processes[0].node === holder ? processes : ([processes[1], processes[0]] as const)
      const at = Date.now()
      process.kill(one.parley.pid, signal)
      const gap = await gapOf(campaign, { node: one.node, at })
      await campaign.stopThrough(two.parley)
      await Promise.all([one.parley.stop("SIGKILL"), two.parley.stop("SIGKILL")])
      return gap
    },
    restarting: async (): Promise<Gap> => {
      const first = await start()
      const campaign = await running(first.parley)
      const at = Date.now()
      await first.parley.stop("SIGKILL")
      const second = await start()
      const gap = await gapOf(campaign, { node: first.node, at }, Date.now())
      await campaign.stopThrough(second.parley)
      await second.parley.stop("SIGKILL")
      return gap
    },
    lateness: async (starts: number, killing: boolean): Promise<ReadonlyArray<number>> => {
      const [one, two] = [await start(), await start()]
      const slugs = Array.from({ length: accounts }, () => `late-${made++}`)
      // Leave enough time to create all campaigns before the first one is due.
      const begin = Date.now() + 20_000 + starts * 250
      const fill = async (slug: string, at: number) => {
        const client = await two.parley.account(slug, wide)
        const line = await prepare(client)
        for (let n = at; n < starts; n += accounts) {
          const scheduled_at = new Date(begin + (20_000 * n) / starts).toISOString()
          await client.request("POST", "/api/v1/campaigns", campaignOf(line, 1, 1, { scheduled_at }, n))
        }
      }
      await Promise.all(slugs.map(fill))
      if (Date.now() > begin) throw new Error("The campaigns were not made before the first of them was due")
      await sleep(begin + 10_000 - Date.now())
      if (killing) await one.parley.stop("SIGKILL")
      const late: Array<number> = []
      for (const slug of slugs) {
        const database = await two.parley.databaseOf(slug)
        await until(async () => {
          const [left] = await postgres.query(
            database,
            "select count(*)::int as n from campaigns where started_at is null",
          )
          return left.n === 0
        })
        const rows = await postgres.query(
          database,
          "select extract(epoch from started_at - scheduled_at)::float8 * 1000 as late from campaigns",
        )
        late.push(...rows.map((row) => Number(row.late)))
      }
      await Promise.all([one.parley.stop("SIGKILL"), two.parley.stop("SIGKILL")])
      return late
    },
    stop: () => postgres.stop(),
  }
}

/**
 * The form of a campaign. Its numbers, from the `first` on, are in no other campaign, since a number in a call is not
 * dialled by another campaign.
 */
const campaignOf = (line: Line, contacts: number, max: number, fields: Record<string, string> = {}, first = 0) => {
  // Numbers of people who answer and talk, by their last two digits.
  const talk = (at: number) => `+1415${50_000 + Math.floor(at / 60)}${String(at % 60).padStart(2, "0")}`
  const numbers = Array.from({ length: contacts }, (_, at) => talk(first + at))
  const csv = Buffer.from(`phone_number\n${numbers.join("\n")}\n`)
  return form({ name: "bench", ...line, max_concurrent_calls: String(max), ...fields }, csv)
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)))

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(20)
}
