/**
 * An upgrade of an installation with two cells: first one cell, then the other (docs/operations.md, Upgrade). Between
 * the two, one cell runs this release and the other the release before, on one platform database. Clients read and
 * write, and a campaign of each cell dials throughout. Afterwards the release before returns to one cell.
 */
import * as Balancer from "./Balancer.ts"
import { until } from "../support/Until.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import { atMost, type Figure, holds } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import type { Options } from "./Options.ts"
import { dialledTwice, failed, longestPause, pause, startCampaign, startLoad } from "./UpgradeLoad.ts"

const cells = ["platform", "pg2"] as const
type Cell = (typeof cells)[number]

export const run = async (options: Options): Promise<ReadonlyArray<Figure>> => {
  const earlier = EarlierRelease.checkOut()
  const drill = await Installation.start()
  const balancers = cells.map((cell) => Balancer.start(() => membersOf(drill, cell).map(({ url }) => url)))
  try {
    return await upgrade(drill, balancers, earlier, options)
  } finally {
    for (const balancer of balancers) balancer.stop()
    await drill.stop()
  }
}

const membersOf = (drill: Installation.Installation, cell: Cell) =>
  drill.members().filter((member) => member.cell === cell)

const upgrade = async (
  drill: Installation.Installation,
  balancers: ReadonlyArray<Balancer.Balancer>,
  earlier: string,
  { isShort, log }: Options,
) => {
  /** Milliseconds that each state lasts. */
  const stayMs = isShort ? 3_000 : 10_000
  const codes: Array<number | NodeJS.Signals | null> = []
  const balancerOf = (cell: Cell) => balancers[cells.indexOf(cell)] as Balancer.Balancer
  const join = (cell: Cell, release?: string) => drill.join(release, { PARLEY_CELL: cell })
  /** Starts a process of the release in the cell, and then stops those of the other release. */
  const replace = async (cell: Cell, release = Installation.here) => {
    const old = membersOf(drill, cell)
    const next = await join(cell, release)
    await until(() => balancerOf(cell).ready().includes(next.url))
    for (const member of old) codes.push(await drill.leave(member))
    await pause(stayMs)
  }
  const beginner = await drill.join(earlier)
  await drill.addServer("pg2", earlier)
  for (const cell of cells) await join(cell, earlier)
  await drill.leave(beginner)
  await until(() => balancers.every((balancer) => balancer.ready().length === 1))
  const accounts: Array<Installation.Account> = []
  for (const cell of cells) accounts.push(await drill.account(`cell-${cell}`, {}, membersOf(drill, cell)[0]))
  const ids = await Promise.all(
    accounts.map((account, at) => startCampaign(balancers[at] as Balancer.Balancer, account, at)),
  )
  const loads = accounts.map((account, at) => startLoad(balancers[at] as Balancer.Balancer, [account]))
  await until(() => drill.dialled().length > cells.length * 10)
  const dialsFrom = Date.now()

  log("the cell pg2 is upgraded, the other stays at the release before")
  await replace("pg2")
  log("the cell platform is upgraded")
  await replace("platform")
  log("the release before returns to the cell pg2")
  await replace("pg2", earlier)
  const answers = (await Promise.all(loads.map((load) => load.stop()))).flat()
  const dialsUntil = Date.now()
  await Promise.all(
    ids.map((id, at) => balancers[at]?.send("POST", `/api/v1/campaigns/${id}/stop`, accounts[at]?.headers ?? {})),
  )
  const dialled = drill.dialled()
  const pauses = cells.map((_, at) => longestPause(dialled, at, dialsFrom, dialsUntil))
  for (const { at, ms } of pauses) log(`no call for ${ms} ms from ${new Date(at).toISOString()} on`)
  const rows = await drill.query<{ slug: string; server: string | null }>(
    "parley",
    "select slug, server from accounts where slug like 'cell-%' order by slug desc",
  )
  return [
    atMost("answers with 5xx, or none", failed(answers, log), 0),
    atMost("answers of another cell (421)", answers.filter(({ status }) => status === 421).length, 0),
    atMost("slowest answer", Math.max(...answers.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("longest pause of a campaign", Math.max(...pauses.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("people called twice", dialledTwice(dialled), 0),
    holds(
      "each account is on its cell's server",
      rows.map(({ server }) => server ?? "platform").join() === cells.join(),
    ),
    holds(
      "stopped processes exit with 0",
      codes.every((code) => code === 0),
    ),
    { what: "requests; calls", value: `${answers.length}; ${dialled.length}`, goal: "", isMet: true },
  ] satisfies ReadonlyArray<Figure>
}
