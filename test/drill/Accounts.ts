/**
 * Three processes share the server's 300 connections, and 200 accounts are active: more than a third of the
 * connections. The balancer sends each account to one process. Clients read in all accounts and write in some. Some
 * accounts dial.
 */
import { campaignForm } from "../support/Fixtures.ts"
import { until } from "../support/Until.ts"
import { atMost, type Figure } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import * as Metrics from "./Metrics.ts"
import type { Options } from "./Options.ts"

const processes = 3
/** Milliseconds between two requests of an account. */
const readEveryMs = 2_000
/** Every tenth account has a campaign that dials throughout. */
const dialsEach = 10

export const run = async ({ isShort, log }: Options): Promise<ReadonlyArray<Figure>> => {
  const plan = isShort
    ? { accounts: 60, connections: 25, seconds: 15 }
    : { accounts: 200, connections: 80, seconds: 60 }
  const drill = await Installation.start({ DATABASE_MAX_CONNECTIONS: String(plan.connections) })
  try {
    for (let at = 0; at < processes; at++) await drill.join()
    await until(() => drill.balancer.ready().length === processes)
    const accounts: Array<Installation.Account> = []
    for (let at = 0; at < plan.accounts; at++) {
      const account = await drill.account(`active-${at}`)
      accounts.push(account)
      if (at % dialsEach === 0) await startCampaign(drill, account)
    }
    log(`${accounts.length} accounts`)
    return await measure(drill, accounts, plan)
  } finally {
    await drill.stop()
  }
}

const startCampaign = async ({ balancer }: Installation.Installation, { headers, line }: Installation.Account) => {
  const numbers = Array.from({ length: 2_000 }, (_, contact) => `+1415${2_000_000 + contact * 100 + 1}`)
  const form = campaignForm(
    { name: "active", ...line, max_concurrent_calls: "1" },
    `phone_number\n${numbers.join("\n")}\n`,
  )
  const { body } = await balancer.send("POST", "/api/v1/campaigns", headers, form)
  const { status } = await balancer.send("POST", `/api/v1/campaigns/${body.id}/start`, headers)
  if (status !== 200) throw new Error(`The campaign did not start: ${status}`)
}

const measure = async (
  drill: Installation.Installation,
  accounts: ReadonlyArray<Installation.Account>,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<ReadonlyArray<Figure>> => {
  const answers: Array<{ status: number; ms: number; isRead: boolean }> = []
  let ends = Date.now() + readEveryMs * 3
  const use = async ({ headers }: Installation.Account, at: number) => {
    await new Promise((resolve) => setTimeout(resolve, (readEveryMs * at) / accounts.length))
    for (let turn = 0; Date.now() < ends; turn++) {
      const next = Date.now() + readEveryMs
      const isRead = (turn + at) % 10 !== 0
      const { ms, status } = isRead
        ? await drill.balancer.send("GET", "/api/v1/calls?page_size=20", headers)
        : await drill.balancer.send("POST", "/api/faqs", headers, { question: `${turn}?`, answer: "Yes." })
      answers.push({ status, ms, isRead })
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())))
    }
  }
  // Open each account first, on the process that gets its requests.
  await Promise.all(accounts.map(use))
  answers.splice(0)
  const opened = async () => sum(await Promise.all(drill.members().map(({ url }) => read(url, "opened_total"))))
  const before = await opened()
  ends = Date.now() + seconds * 1_000
  await Promise.all(accounts.map(use))
  const sessions = (await opened()) - before
  const open = sum(await Promise.all(drill.members().map(({ url }) => read(url, "open"))))
  const times = answers.filter(({ isRead }) => isRead).map(({ ms }) => ms)
  return [
    atMost("answers with 5xx, or none", answers.filter(({ status }) => status >= 500 || status === 0).length, 0),
    atMost("new sessions a second", sessions / seconds, 2),
    atMost("reads, p99", times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity, 200, " ms"),
    atMost("connections open", open, processes * connections),
    { what: "requests; calls", value: `${answers.length}; ${drill.dialled().length}`, goal: "", isMet: true },
  ]
}

const read = async (url: string, name: string) =>
  (await Metrics.read(url)).get(`parley_database_connections_${name}`) ?? 0

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, each) => total + each, 0)
