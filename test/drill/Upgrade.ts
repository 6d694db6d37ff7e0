/**
 * An upgrade by docs/operations.md: processes of this release start beside those of the previous one, which then stop.
 * Throughout, clients read and write, campaigns dial, and a backup is open. Afterwards the previous release runs once
 * more, on the new schema.
 */
import { campaignForm } from "../support/Fixtures.ts"
import { until } from "../support/Until.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import { atMost, type Figure, holds } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import type { Options } from "./Options.ts"

const campaigns = 3
/** Contacts of a campaign, more than the run can dial. */
const contacts = 5_000
const workers = 6

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const numberOf = (campaign: number, contact: number) => `+1415${campaign + 2}${String(contact).padStart(4, "0")}01`

export const run = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const earlier = EarlierRelease.checkOut()
  const drill = await Installation.start()
  try {
    return await upgrade(drill, earlier, options)
  } finally {
    await drill.stop()
  }
}

const upgrade = async (drill: Installation.Installation, earlier: string, { isShort, log }: Options) => {
  /** Milliseconds that each state lasts. */
  const stayMs = isShort ? 3_000 : 10_000
  const old = [await drill.join(earlier), await drill.join(earlier)]
  const accounts = await Promise.all(Array.from({ length: campaigns }, (_, at) => drill.account(`upgrade-${at}`)))
  await until(() => drill.balancer.ready().length === old.length)
  const ids = await Promise.all(accounts.map((account, at) => startCampaign(drill, account, at)))
  const load = startLoad(drill, accounts)
  await until(() => drill.dialled().length > campaigns * 10)
  const dialsFrom = Date.now()

  log("backup begins, and the first process of this release")
  const [held, other] = [await drill.databaseOf("upgrade-0"), await drill.databaseOf("upgrade-1")]
  const backup = await beginBackup(drill, held)
  const first = await drill.join()
  const readiness = async () => (await fetch(`${first.url}/readyz`)).json() as Promise<{ checks: any }>
  const listened = await readiness()
  const isHeldBack = String(listened.checks.migrations).startsWith("accounts with an old schema")
  const schemas = () =>
    drill.query<{ schema_version: number }>("parley", "select schema_version from accounts order by created_at")
  const newest = (await drill.query("parley", "select max(tenant_schema) as newest from nodes"))[0].newest
  await until(async () => (await schemas()).filter(({ schema_version }) => schema_version < newest).length <= 1)
  await pause(stayMs)
  const waits = drill.balancer.ready().length === old.length
  await backup.end()
  const freed = performance.now()
  await until(() => drill.balancer.ready().includes(first.url))
  const readyAfter = (performance.now() - freed) / 1_000
  const next = await beginBackup(drill, other)

  log("the earlier release stops, one process after another")
  const codes = []
  for (const [at, member] of old.entries()) {
    codes.push(await drill.leave(member))
    if (at > 0) continue
    const second = await drill.join()
    await until(() => drill.balancer.ready().includes(second.url))
  }
  await pause(stayMs)

  log("the earlier release returns to the new schema")
  const back = await drill.join(earlier)
  await until(() => drill.balancer.ready().includes(back.url))
  for (const member of drill.members().filter(({ release }) => release !== earlier)) await drill.leave(member)
  await pause(stayMs)
  const answers = await load.stop()
  const before = drill.dialled().length
  await pause(2_000)
  const dialsOn = drill.dialled().length > before
  const dialsUntil = Date.now()
  await Promise.all(
    ids.map((id, at) => drill.balancer.send("POST", `/api/v1/campaigns/${id}/stop`, accounts[at]?.headers ?? {})),
  )
  await next.end()

  const dialled = drill.dialled()
  const pauses = accounts.map((_, at) => longestPause(dialled, at, dialsFrom, dialsUntil))
  for (const { at, ms } of pauses) log(`no call for ${ms} ms from ${new Date(at).toISOString()} on`)
  const failed = answers.filter(({ status }) => status >= 500 || status === 0)
  for (const { body, path, status } of failed.slice(0, 5)) log(`${path} answered ${status}: ${JSON.stringify(body)}`)
  const numbers = new Set(dialled.map(({ number }) => number))
  return [
    atMost("answers with 5xx, or none", failed.length, 0),
    atMost("slowest answer", Math.max(...answers.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("longest pause of a campaign", Math.max(...pauses.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("people called twice", dialled.length - numbers.size, 0),
    holds("the new process listens, and waits for the account under backup", isHeldBack && waits),
    atMost("ready after that backup's end", readyAfter, 35, " s"),
    holds(
      "stopped processes exit with 0",
      codes.every((code) => code === 0),
    ),
    holds("the earlier release dials on the new schema", dialsOn),
    { what: "requests; calls", value: `${answers.length}; ${dialled.length}`, goal: "", isMet: true },
  ] satisfies ReadonlyArray<Figure>
}

/** Locks every table as pg_dump does, until the session ends. */
const beginBackup = async (drill: Installation.Installation, database: string) => {
  const session = await drill.session(database, "pg_dump")
  await session.query("begin isolation level repeatable read read only")
  const { rows } = await session.query(
    "select string_agg(quote_ident(tablename), ', ') as tables from pg_tables where schemaname = 'public'",
  )
  await session.query(`lock table ${rows[0].tables} in access share mode`)
  return session
}

const startCampaign = async (drill: Installation.Installation, account: Installation.Account, at: number) => {
  const numbers = Array.from({ length: contacts }, (_, contact) => numberOf(at, contact))
  const form = campaignForm(
    { name: "upgrade", ...account.line, max_concurrent_calls: "4" },
    `phone_number\n${numbers.join("\n")}\n`,
  )
  const made = await drill.balancer.send("POST", "/api/v1/campaigns", account.headers, form)
  const started = await drill.balancer.send("POST", `/api/v1/campaigns/${made.body.id}/start`, account.headers)
  if (started.status !== 200) throw new Error(`The campaign did not start: ${JSON.stringify([made, started])}`)
  return made.body.id as string
}

/** Starts clients that read and write in every account, each with one request at a time. */
const startLoad = (drill: Installation.Installation, accounts: ReadonlyArray<Installation.Account>) => {
  const answers: Array<{ status: number; ms: number; path: string; body: unknown }> = []
  const state = { isOver: false }
  const paths = ["/api/agents", "/api/v1/campaigns", "/api/v1/calls?page_size=20", "/api/phone-numbers", "/api/tools"]
  const work = async (worker: number) => {
    for (let turn = worker; !state.isOver; turn++) {
      const { headers } = accounts[turn % accounts.length] as Installation.Account
      const isWrite = turn % 4 === 0
      const path = isWrite ? "/api/faqs" : (paths[turn % paths.length] ?? "")
      const body = isWrite ? { question: `Question ${worker} ${turn}?`, answer: "Yes." } : undefined
      const answer = await drill.balancer.send(isWrite ? "POST" : "GET", path, headers, body)
      answers.push({ status: answer.status, ms: answer.ms, path, body: answer.status >= 400 ? answer.body : "" })
      await pause(50)
    }
  }
  const working = Array.from({ length: workers }, (_, at) => work(at))
  return {
    stop: async () => {
      state.isOver = true
      await Promise.all(working)
      return answers
    },
  }
}

/** The longest time without a call of the campaign between these two moments, in milliseconds. */
const longestPause = (
  dialled: ReadonlyArray<Installation.Dialled>,
  campaign: number,
  from: number,
  until: number,
): { readonly at: number; readonly ms: number } => {
  const prefix = numberOf(campaign, 0).slice(0, 6)
  const times = dialled.flatMap(({ at, number }) =>
    number.startsWith(prefix) && at >= from && at <= until ? [at] : [],
  )
  const starts = [from, ...times]
  const pauses = starts.map((at, index) => ({ at, ms: (times[index] ?? until) - at }))
  return pauses.reduce((longest, one) => (one.ms > longest.ms ? one : longest))
}
