/**
 * Three servers behind one address, on one PostgreSQL. One of them is killed in the middle of a campaign, and another is
 * stopped as in a deploy, while a visitor chats:
 *
 *     npm run demo:cluster
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { contactsOf, start, upload } from "./campaign.ts"
import { openDatabase } from "./database.ts"
import { follow, type Snapshot } from "./follow.ts"
import { openFront } from "./front.ts"
import { Parley } from "./parley.ts"
import { serve, type Server } from "./serve.ts"
import { attachFaqs, makeAccount, makeAgent, makePhoneNumber } from "./setup.ts"
import * as show from "./show.ts"
import { enableTools } from "./tools.ts"
import { type Visitor, visit } from "./visitor.ts"

const account = "harbor-fleet"
const contactsFile = join(import.meta.dirname, "contacts.csv")
const slots = 20
/** How many contacts are over when a server is killed. */
const killedAfter = 40
/** How long the other servers may take to dial on. */
const longestGapMs = 60_000

const openServers = async (databaseUrl: string, stopped: AbortSignal, servers: Array<Server>) => {
  const settings = {
    DATABASE_URL: databaseUrl,
    // Together they stay below the limit of the one PostgreSQL.
    DATABASE_MAX_CONNECTIONS: "40",
    PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    LAB_SPEED: "20",
    DRAIN_SECONDS: "3",
  }
  // The first one creates the tables.
  servers.push(await serve(settings, stopped))
  servers.push(...(await Promise.all([serve(settings, stopped), serve(settings, stopped)])))
}

/** Two figures of one server's metrics; zeros if it is gone. */
const readMetrics = async ({ url }: Server) => {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.text(),
    () => "",
  )
  const read = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "gm"))].reduce(
      (sum, found) => sum + Number(found[1]),
      0,
    )
  return { active: read("parley_calls_active"), dials: read("parley_dials_total") }
}

const story = async (servers: ReadonlyArray<Server>, address: string, chatAt: () => string | undefined) => {
  const nameOf = (url: string | undefined) => `server ${servers.findIndex((server) => server.url === url) + 1}`
  const [first] = servers
  if (first === undefined) return
  const owner = await makeAccount(first.url, account)
  const { key } = await owner.post<{ readonly key: string }>("/api/v1/api-keys", {
    name: "cluster",
    scopes: ["read", "write", "dial"],
  })
  const parley = new Parley(address, key, account)
  const agent = await makeAgent(parley)
  await enableTools(parley, agent.id)
  await attachFaqs(parley, agent.id)
  const widget = await owner.post<{ readonly key: string }>("/api/v1/widget-keys", {
    name: "cluster",
    kind: "secret",
    agent_id: agent.id,
  })
  const number = await makePhoneNumber(parley)
  show.step("Account", `${account}, at three servers`)

  const visitor = visit(address, widget.key)
  const ask = async (question: string) => {
    const answer = await visitor.ask(question)
    show.step("Chat", `${nameOf(chatAt())} answers "${question}": ${answer}`)
  }
  await ask("What are your opening hours?")

  const draft = await upload(parley, contactsFile, {
    name: "March service appointments",
    agent_id: agent.id,
    phone_number_id: number.id,
    max_concurrent_calls: slots,
    retries_per_contact: 2,
    retry_delay_seconds: 3,
  })
  await start(parley, draft.id)
  const campaign = await followCampaign(parley, draft.id)
  await campaign.reached(killedAfter)

  const killed = await findDialler(servers)
  const { active } = await readMetrics(killed)
  const others = servers.filter((server) => server !== killed)
  const before = await Promise.all(others.map(readMetrics))
  await killed.kill()
  const killedAt = Date.now()
  show.step("Kill", `${nameOf(killed.url)}, with ${active} calls, is killed`)
  const next = await firstThatDials(
    others,
    before.map(({ dials }) => dials),
  )
  show.step("Campaign", `${nameOf(next.url)} dials on after ${seconds(Date.now() - killedAt)}`)
  await ask("What does it cost to cancel?")

  const drained = servers.find(({ url }) => url === chatAt())
  const drainedAt = Date.now()
  const drain = drained?.stop()
  show.step("Deploy", `${nameOf(drained?.url)}, which has the chat, is told to stop`)
  await ask("How long does a service take?")
  await drain
  show.step("Deploy", `it has stopped after ${seconds(Date.now() - drainedAt)}`)

  const last = await campaign.ended
  await checkNothingLost(parley, draft.id, last)
  checkChat(visitor)
  visitor.leave()
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Follows the campaign through whichever server answers. */
const followCampaign = async (parley: Parley, id: string) => {
  let latest: Snapshot | undefined
  const over = () => (latest === undefined ? 0 : countOver(latest))
  const run = async () => {
    for await (const snapshot of follow(parley, id)) {
      latest = snapshot
      show.hint(`    ${over()}/${snapshot.counts.total} contacts are over, ${snapshot.active_calls} calls now`)
    }
    if (latest === undefined) throw new Error("The campaign's stream ended without a snapshot.")
    return latest
  }
  const ended = run()
  ended.catch(() => undefined)
  return {
    ended,
    /** Waits until this many contacts are over. */
    reached: async (count: number) => {
      while (over() < count) await Promise.race([sleep(100), ended])
    },
  }
}

const countOver = ({ counts }: Snapshot) => counts.completed + counts.failed + counts.skipped

const findDialler = async (servers: ReadonlyArray<Server>): Promise<Server> => {
  const metrics = await Promise.all(servers.map(readMetrics))
  const most = Math.max(...metrics.map(({ dials }) => dials))
  const found = servers[metrics.findIndex(({ dials }) => dials === most)]
  if (found === undefined) throw new Error("No server dials the campaign.")
  return found
}

const firstThatDials = async (servers: ReadonlyArray<Server>, before: ReadonlyArray<number>): Promise<Server> => {
  const until = Date.now() + longestGapMs
  while (Date.now() < until) {
    const now = await Promise.all(servers.map(readMetrics))
    const found = servers[now.findIndex(({ dials }, at) => dials > (before[at] ?? 0))]
    if (found !== undefined) return found
    await sleep(20)
  }
  throw new Error(`No other server dialled within ${longestGapMs / 1_000} s.`)
}

const checkNothingLost = async (parley: Parley, id: string, last: Snapshot) => {
  const contacts = await contactsOf(parley, id)
  show.title(`The campaign is ${last.status}`)
  show.outcomes(contacts, last)
  const attempts = contacts.reduce((sum, contact) => sum + contact.attempts, 0)
  const over = countOver(last)
  const { total } = last.counts
  if (last.status !== "completed" || over !== total || attempts !== last.dialed) {
    throw new Error(`Of ${total} contacts ${over} are over; ${attempts} attempts made ${last.dialed} calls.`)
  }
  console.log(
    `\n  ${total} of ${total} contacts accounted for, ${attempts} attempts, ${last.dialed} calls: none lost, none doubled.`,
  )
}

const checkChat = ({ lines }: Visitor) => {
  const questions = lines.filter(({ by }) => by === "visitor").length
  if (questions !== 3) throw new Error(`The chat has ${questions} questions instead of three.`)
  console.log(`  One chat of ${lines.length} lines, with three questions and their answers, at up to three servers.`)
}

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort())
process.stdout.on("error", () => stopped.abort())

const servers: Array<Server> = []
let finished = false
const began = Date.now()
show.title("Parley: three servers, a campaign and a chat, of which one server is killed and one is stopped")
const database = await openDatabase()
try {
  await openServers(database.url, stopped.signal, servers)
  const front = await openFront(servers.map(({ url }) => url))
  show.step("Servers", `${servers.map(({ url }) => url).join(", ")}, behind ${front.url}`)
  const aborted = new Promise<never>((_, reject) =>
    stopped.signal.addEventListener("abort", () => reject(new Error("It was stopped."))),
  )
  await Promise.race([story(servers, front.url, front.socketAt), aborted]).finally(front.close)
  finished = true
  show.hint(`  All of it in ${Math.round((Date.now() - began) / 1000)} s.`)
} catch (cause) {
  if (!stopped.signal.aborted)
    console.error(`\nThe demo failed. ${cause instanceof Error ? cause.message : String(cause)}`)
} finally {
  await Promise.all(servers.map((server) => server.stop()))
  await database.stop()
}
process.exit(finished ? 0 : stopped.signal.aborted ? 130 : 1)
