/**
 * An upgrade by docs/operations.md: processes of this release start beside those of the previous one, which then stop.
 * Throughout, clients read and write, campaigns dial, and a backup is open. Afterwards the previous release runs once
 * more, on the new schema.
 */
import { until } from "../support/Until.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import { atMost, type Figure, holds } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import type { Options } from "./Options.ts"
import { dialledTwice, failed, longestPause, pause, startCampaign, startLoad } from "./UpgradeLoad.ts"

const campaigns = 3

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
  const ids = await Promise.all(accounts.map((account, at) => startCampaign(drill.balancer, account, at)))
  const load = startLoad(drill.balancer, accounts)
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
  return [
    atMost("answers with 5xx, or none", failed(answers, log), 0),
    atMost("slowest answer", Math.max(...answers.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("longest pause of a campaign", Math.max(...pauses.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("people called twice", dialledTwice(dialled), 0),
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
