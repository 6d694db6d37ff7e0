/**
 * Reads over HTTP: Parley, its framework alone, a hand-written fastify + pg, and bare node:http + pg as the limit. All
 * run at once on one PostgreSQL and are measured in turn. Then the same read over the typed router. All responses are
 * compared byte by byte before anything is measured.
 */
import { parseArgs } from "node:util"
import type { Answer, Question } from "./load/HttpLoad.ts"
import * as Child from "./support/Child.ts"
import { median, megabytes, ms, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const connections = 64
/** As many as a middle-sized account has, so that a page of 50 is a part of them. */
const faqs = 200

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "7" },
      seconds: { type: "string", default: "5" },
      profile: { type: "string" },
      /** Measures only the typed router and REST. */
      rpc: { type: "boolean", default: false },
    },
  })
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)

  const postgres = await Postgres.start()
  const profile = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  const parley = await Parley.start(postgres, { node: profile })
  const owner = await parley.account("bench")
  const { key } = await owner.request("POST", "/api/v1/api-keys", { name: "bench", scopes: ["read"] })
  const ids: Array<string> = []
  for (let at = 0; at < faqs; at++) ids.push((await owner.request("POST", "/api/faqs", faqOf(at))).id)

  const env = { PEER_DATABASE_URL: postgres.urlOf(Parley.platformDatabase) }
  const fastify = await Child.start("test/bench/peers/FastifyPg.ts", { env })
  const node = await Child.start("test/bench/peers/NodePg.ts", { env })
  const floor = await Child.start("test/bench/peers/HttpApiPg.ts", { env })
  const servers = { parley, floor, fastify, node }
  const { headers } = parley.clientOf(key, "bench")
  const paths = {
    "read by id": `/api/faqs/${ids[faqs / 2]}`,
    "list of 50": "/api/faqs?page_size=50",
  }
  for (const path of Object.values(paths)) await sameBytes(Object.values(servers), path, headers)

  const ask = (url: string, path: string, seconds: number) =>
    Child.ask<Answer>("test/bench/load/HttpLoad.ts", {
      url: url + path,
      headers,
      connections,
      seconds,
    } satisfies Question)
  for (const { url } of Object.values(servers)) for (const path of Object.values(paths)) await ask(url, path, 2)

  /** Measures the same read over the typed router and over REST on one server. */
  const typed = async () => {
    const path = `/trpc/faqs.get?input=${encodeURIComponent(JSON.stringify({ id: ids[faqs / 2] }))}`
    await ask(parley.url, path, 2)
    const measured = async (path: string) => {
      const before = Child.cpuOf(parley.pid)
      const answer = await ask(parley.url, path, seconds)
      return { ...answer, cpu: (Child.cpuOf(parley.pid) - before) / (answer.perSecond * seconds) }
    }
    const seen: Record<"rest" | "rpc", Array<Awaited<ReturnType<typeof measured>>>> = { rest: [], rpc: [] }
    for (let round = 0; round < rounds; round++) {
      seen.rest.push(await measured(paths["read by id"]))
      seen.rpc.push(await measured(path))
    }
    heading(
      `HTTP, read by id over tRPC: ${connections} connections, ${rounds} rounds of ${seconds} s, median of rounds`,
    )
    const row = (label: string, key: keyof typeof seen) => [
      label,
      times(median(seen[key].map(({ perSecond }, at) => perSecond / (seen.rest[at]?.perSecond ?? Number.NaN)))),
      whole(median(seen[key].map(({ perSecond }) => perSecond))),
      ms(median(seen[key].map(({ p50 }) => p50))),
      ms(median(seen[key].map(({ p99 }) => p99))),
      `${whole(median(seen[key].map(({ cpu }) => cpu)) * 1_000_000)} µs`,
      String(seen[key].reduce((sum, { wrong }) => sum + wrong, 0)),
    ]
    table(
      ["surface", "to REST", "requests/s", "p50", "p99", "CPU a request", "wrong"],
      [row("REST", "rest"), row("tRPC", "rpc")],
    )
  }

  for (const [name, path] of Object.entries(values.rpc ? {} : paths)) {
    const seen: Record<keyof typeof servers, Array<Answer & { cpu: number }>> = {
      parley: [],
      floor: [],
      fastify: [],
      node: [],
    }
    for (let round = 0; round < rounds; round++) {
      for (const key of ["parley", "floor", "fastify", "node"] as const) {
        const before = Child.cpuOf(servers[key].pid)
        const answer = await ask(servers[key].url, path, seconds)
        const cpu = (Child.cpuOf(servers[key].pid) - before) / (answer.perSecond * seconds)
        seen[key].push({ ...answer, cpu })
      }
    }
    const of = (key: keyof typeof servers, what: keyof Answer | "cpu") =>
      median(seen[key].map((answer) => answer[what]))
    /** The median of the ratios within each round, so that other load on the machine cancels out. */
    const ratio = (key: keyof typeof servers, to: keyof typeof servers) =>
      median(seen[key].map(({ perSecond }, at) => perSecond / (seen[to][at]?.perSecond ?? Number.NaN)))
    heading(`HTTP, ${name}: ${connections} connections, ${rounds} rounds of ${seconds} s, median of rounds`)
    const row = (label: string, key: keyof typeof servers) => [
      label,
      times(ratio(key, "fastify")),
      times(ratio(key, "node")),
      whole(of(key, "perSecond")),
      ms(of(key, "p50")),
      ms(of(key, "p99")),
      `${whole(of(key, "cpu") * 1_000_000)} µs`,
      megabytes(Child.memoryOf(servers[key].pid).now),
      String(seen[key].reduce((sum, { wrong }) => sum + wrong, 0)),
    ]
    table(
      ["server", "to fastify", "to the limit", "requests/s", "p50", "p99", "CPU a request", "memory", "wrong"],
      [
        row("Parley", "parley"),
        row("HttpApi + sql-pg (floor)", "floor"),
        row("fastify + pg", "fastify"),
        row("node:http + pg (limit)", "node"),
      ],
    )
  }
  await typed()
  note("Answers of all were compared byte by byte before the first round.")
  machine()
  for (const server of Object.values(servers)) await server.stop()
  await postgres.stop()
}

/** 0.85 KB as JSON, a typical size for an FAQ. */
const faqOf = (at: number) => ({
  question: `What do you do when the ${at}th customer of the day asks about opening hours?`,
  answer: "We are open from Monday to Friday, nine to five, and closed on public holidays. ".repeat(7).trim(),
  category: "visits",
})

const sameBytes = async (servers: ReadonlyArray<Child.Child>, path: string, headers: Record<string, string>) => {
  const bodies = await Promise.all(
    servers.map(async ({ url }) => {
      const response = await fetch(url + path, { headers })
      return `${response.status} ${await response.text()}`
    }),
  )
  if (new Set(bodies).size !== 1) throw new Error(`The servers answer ${path} differently:\n${bodies.join("\n")}`)
}
