/**
 * Hostile neighbours: accounts whose clients do not read a long export, and accounts whose clients stop in the middle
 * of an upload. The other accounts have to read and dial as usual.
 */
import type { Socket } from "node:net"
import { campaignForm } from "../support/Fixtures.ts"
import { longCsv, silent, slowUpload } from "../support/SlowClients.ts"
import { until } from "../support/Until.ts"
import { atMost, type Figure } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import * as Metrics from "./Metrics.ts"
import type { Options } from "./Options.ts"

const others = 4

export const run = async ({ isShort, log }: Options): Promise<ReadonlyArray<Figure>> => {
  const drill = await Installation.start({ DATABASE_MAX_CONNECTIONS: "80" })
  const sockets: Array<Socket> = []
  try {
    return await disturb(drill, sockets, { readers: isShort ? 10 : 40, uploads: 16, seconds: isShort ? 10 : 30 }, log)
  } finally {
    for (const socket of sockets) socket.destroy()
    await drill.stop()
  }
}

const headersOf = ({ headers, slug }: Installation.Account) => [
  "Host: localhost",
  `X-Account-ID: ${slug}`,
  `Authorization: ${headers["authorization"]}`,
]

const disturb = async (
  drill: Installation.Installation,
  sockets: Array<Socket>,
  { readers, seconds, uploads }: { readonly readers: number; readonly uploads: number; readonly seconds: number },
  log: (line: string) => void,
) => {
  const { url } = await drill.join()
  await until(() => drill.balancer.ready().length === 1)
  const form = (account: Installation.Account, fields: object, csv: string) =>
    campaignForm({ name: "neighbours", ...account.line, ...fields }, csv)
  const good: Array<Installation.Account> = []
  for (let at = 0; at < others; at++) {
    const account = await drill.account(`good-${at}`)
    const numbers = Array.from({ length: 3_000 }, (_, contact) => `+1415${at + 2}${String(contact).padStart(4, "0")}01`)
    const body = form(account, { max_concurrent_calls: "4" }, `phone_number\n${numbers.join("\n")}\n`)
    const { body: made } = await drill.balancer.send("POST", "/api/v1/campaigns", account.headers, body)
    await drill.balancer.send("POST", `/api/v1/campaigns/${made.id}/start`, account.headers)
    good.push(account)
  }
  /** Measures the other accounts' response times, and how long a dial pass takes. */
  const measure = async () => {
    const before = await Metrics.read(url)
    const answers: Array<{ status: number; ms: number }> = []
    const ends = Date.now() + seconds * 1_000
    const read = async ({ headers }: Installation.Account) => {
      while (Date.now() < ends) {
        answers.push(await drill.balancer.send("GET", "/api/v1/calls?page_size=20", headers))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    await Promise.all(good.map(read))
    const pass = Metrics.quantile("parley_dial_pass_duration_seconds", 0.99, before, await Metrics.read(url))
    return { answers, passMs: pass * 1_000 }
  }
  const alone = await measure()
  const csv = longCsv()
  for (let at = 0; at < readers; at++) {
    const account = await drill.account(`reader-${at}`)
    const { body: made } = await drill.balancer.send(
      "POST",
      "/api/v1/campaigns",
      account.headers,
      form(account, {}, csv),
    )
    const path = `/api/v1/campaigns/${made.id}/results.csv`
    sockets.push(await silent(url, [`GET ${path} HTTP/1.1`, ...headersOf(account)]))
  }
  for (let at = 0; at < uploads; at++) {
    const account = await drill.account(`upload-${at}`)
    sockets.push(await slowUpload(url, headersOf(account)))
  }
  log(`${readers} clients read nothing, ${uploads} stopped in an upload`)

  const { answers, passMs } = await measure()
  return [
    atMost("answers other than 200", answers.filter(({ status }) => status !== 200).length, 0),
    atMost("slowest answer", Math.max(...answers.map(({ ms }) => ms)) / 1_000, 5, " s"),
    atMost("dial pass, p99 at most", passMs, 250, " ms"),
    { what: "the same without these neighbours", value: `${alone.passMs} ms`, goal: "", isMet: true },
    { what: "requests; calls", value: `${answers.length}; ${drill.dialled().length}`, goal: "", isMet: true },
  ] satisfies ReadonlyArray<Figure>
}
