/**
 * One chaos run from its seed to its history: everything is started, disturbed, healed, brought to an end and recorded.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import * as Cluster from "./Cluster.ts"
import * as CrashPoints from "./CrashPoints.ts"
import * as Database from "./Database.ts"
import * as Dice from "./Dice.ts"
import * as Faults from "./Faults.ts"
import * as Front from "./Front.ts"
import * as History from "./History.ts"
import * as Network from "./Network.ts"
import * as Observer from "./Observer.ts"
import { pause, send } from "./NotedRequests.ts"
import { Operator } from "./Operator.ts"
import * as Proxy from "./Proxy.ts"
import * as SipNetwork from "./SipNetwork.ts"
import * as StreamNetwork from "./StreamNetwork.ts"
import * as Streams from "./Streams.ts"

export interface Options {
  readonly seed: number
  readonly processes: number
  readonly accounts: number
  /** The most contacts of a campaign. */
  readonly contacts: number
  /** Seconds during which faults are injected. The steps before and after take additional time. */
  readonly seconds: number
  readonly carrier: History.Beginning["carrier"]
  readonly log: (line: string) => void
}

const drainSeconds = 10
/** Fewer than the campaigns want, so that most calls are offered to other processes, and some are refused. */
const callsPerProcess = 4
/** Milliseconds after the last fault within which everything has to end (I13). */
const patienceMs = 240_000

export const run = async (options: Options): Promise<{ readonly history: History.History; readonly file: string }> => {
  const { log, processes, seed } = options
  // Outside of the test run's temporary folder, so that a history with violations can be judged again.
  const folder = mkdtempSync(join("/tmp", `parley-chaos-${seed}-`))
  const file = join(folder, "history.jsonl")
  const recorder = History.record(file)
  const dice = Dice.make(seed)
  recorder.add({ t: "run", seed, processes, carrier: options.carrier, drain_seconds: drainSeconds })
  const phase = (name: string) => {
    log(name)
    recorder.add({ t: "phase", phase: name, at: Date.now() })
  }

  const database = await Database.start(join(folder, "server"))
  const proxyDice = dice.fork("proxy")
  const proxy = await Proxy.start(
    () => recorder.add({ t: "fault", kind: "commit cut", detail: "", at: Date.now() }),
    proxyDice.roll,
  )
  proxy.aim(database.port())
  let urls: () => ReadonlyArray<string> = () => []
  const front = await Front.start(() => urls())
  const networkSeed = dice.whole(1, 1_000_000)
  const networks: Record<typeof options.carrier, () => Network.Network | Promise<Network.Network>> = {
    lab: Network.lab,
    sip: () => SipNetwork.sip(networkSeed, folder, processes),
    twilio: () => Network.twilio(networkSeed, folder, front.url),
    "telnyx-stream": () => StreamNetwork.telnyxStream(networkSeed, folder, front.url, processes),
    "twilio-stream": () => StreamNetwork.twilioStream(networkSeed, folder, front.url, processes),
  }
  const network = await networks[options.carrier]()

  let deadly = false
  const points = CrashPoints.cycle(dice.fork("crash points"), options.carrier)
  const lifeDice = dice.fork("lives")
  const cluster = Cluster.make({
    size: processes,
    folder,
    recorder,
    env: {
      DATABASE_URL: database.urlOf(Database.platform, proxy.port),
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PARLEY_REQUESTS_PER_MINUTE: "1000000",
      ...(processes === 1 ? {} : { PARLEY_CALLS_PER_PROCESS: String(callsPerProcess) }),
      DRAIN_SECONDS: String(drainSeconds),
      LOG_LEVEL: "Info",
      ...network.env,
    },
    envOf: (of) => network.envOf?.(of) ?? {},
    crashPoint: () => (deadly && lifeDice.chance(0.7) ? points() : undefined),
    absenceMs: () => lifeDice.whole(0, 1_500),
  })
  urls = cluster.urls
  const each = Array.from({ length: processes }, (_, at) => at)

  try {
    phase("starting")
    for (const of of each) cluster.start(of)
    await Promise.all(each.map(cluster.ready))
    const operators = await Promise.all(
      Array.from({ length: options.accounts }, (_, at) =>
        employ({
          at,
          cluster,
          contacts: options.contacts,
          dice: dice.fork(`operator ${at}`),
          front,
          network,
          recorder,
        }),
      ),
    )

    const state = { resting: false, over: false }
    const working = operators.map((operator) => operator.work(() => state.resting))
    const observer = Observer.make(database, recorder)
    const looking = operators.map(async ({ account }) => {
      while (!state.over) {
        await observer.sample(account.account)
        await pause(250)
      }
    })
    const watching = operators.map((operator) => watch(operator, front.url, recorder, () => state.over))

    phase("chaos")
    deadly = true
    const chaosEnds = Date.now() + options.seconds * 1_000
    await Faults.run(
      { cluster, database, proxy, recorder, dice: dice.fork("faults"), carrier: network.troubles },
      () => Date.now() > chaosEnds,
    )
    deadly = false

    // End the lives with a crash point, so that the rolling restart meets healthy processes only.
    for (const of of each) cluster.kill(of, "the last of the chaos")
    await pause(200)
    await Promise.all(each.map(cluster.ready))
    await pause(3_000)
    phase("rolling")
    for (const of of each) {
      await cluster.leave(of)
      await cluster.ready(of)
      await pause(1_000)
    }

    phase("healed")
    state.resting = true
    await Promise.all(working)
    await Promise.all(operators.map((operator) => operator.tidyUp()))
    const healedAt = Date.now()
    const unfinished = async () =>
      (await Promise.all(operators.map(({ account }) => observer.unfinished(account.account)))).some(
        (count) => count > 0,
      )
    while ((await unfinished()) && Date.now() - healedAt < patienceMs) await pause(500)
    await pause(1_000)
    phase("over")
    state.over = true
    await Promise.all([...looking, ...watching])
    await cluster.stop()
    for (const { account } of operators) await observer.last(account.account)
    const callIds = new Map(
      (await Promise.all(operators.map(({ account }) => observer.callIds(account.account)))).flat(),
    )
    for (const fact of await network.facts({ cluster, events: recorder.events, callIds })) recorder.add(fact)
    return { history: recorder.events, file }
  } finally {
    await cluster.stop()
    await network.stop()
    await front.stop()
    await proxy.stop()
    await database.stop()
  }
}

interface Employment {
  readonly at: number
  readonly cluster: Cluster.Cluster
  readonly contacts: number
  readonly dice: Dice.Dice
  readonly front: Front.Front
  readonly network: Network.Network
  readonly recorder: History.Recorder
}

/** Creates an account with an agent, a number and an operator, whose API key every process accepts. */
const employ = async ({ at, cluster, contacts, dice, front, network, recorder }: Employment): Promise<Operator> => {
  const must = async (asking: Promise<{ status: number; body: any }>, what: string) => {
    const { body, status } = await asking
    if (status >= 300 || status === 0) throw new Error(`${what} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  /** Only the process that issued a token of the development login knows it, so send both requests to one process. */
  const admin = async (path: string, body: object, method = "PUT") => {
    const [url = front.url] = cluster.urls()
    const login = await send(url, "POST", "/api/login", {}, { email: "admin@example.com", admin: true })
    const headers = { authorization: `Bearer ${login.body?.access_token}`, "x-admin": "true" }
    return send(url, method, path, headers, body)
  }
  const account: History.AccountMade = {
    t: "account",
    account: `chaos-${at}`,
    concurrent_max: [10, 6, 8][at % 3] ?? 8,
    calls_per_minute: [6_000, 120, 6_000][at % 3] ?? 6_000,
    calls_per_day: [100_000, 100_000, 400][at % 3] ?? 100_000,
    time_zone: ["UTC", "America/New_York", "Asia/Kolkata"][at % 3] ?? "UTC",
    prefix: `+14152${at}`,
  }
  const { account: slug, prefix: _, t: __, ...caps } = account
  await must(admin("/api/admin/accounts", { slug, name: slug, ...caps }, "POST"), "the account")
  recorder.add(account)
  const [url = front.url] = cluster.urls()
  const login = await must(
    send(url, "POST", "/api/login", {}, { email: "owner@example.com", account: slug }),
    "the login",
  )
  const owner = { authorization: `Bearer ${login.access_token}`, "x-account-id": slug }
  const post = (path: string, body: object) => must(send(url, "POST", path, owner, body), path)
  const { key } = await post("/api/v1/api-keys", { name: "operator", scopes: ["read", "write", "dial"] })
  const agent = await post("/api/agents", {
    name: "agent",
    system_prompt: "You ask how they are.",
    first_message: "Hello. This is a call.",
    voicemail_action: "hang_up",
    silence_timeout_seconds: 4,
  })
  const number = await post("/api/phone-numbers", { number: `+14153${at}90100`, ...network.number })
  const line = { agent_id: agent.id, phone_number_id: number.id }
  const digits = () => network.digits(dice)
  const asking = { recorder, url: front.url, admin }
  return new Operator(asking, { account, token: key, line, dice, digits, most: contacts })
}

/** Watches two of the account's campaigns at a time. */
const watch = async (operator: Operator, url: string, recorder: History.Recorder, isOver: () => boolean) => {
  const seen = new Set<string>()
  const reader = async () => {
    while (!isOver()) {
      const campaign = operator.watched().find((id) => !seen.has(id))
      if (campaign === undefined) {
        await pause(200)
        continue
      }
      seen.add(campaign)
      const { account, token } = operator
      await Streams.follow(url, { account: account.account, campaign, token }, recorder, isOver)
    }
  }
  await Promise.all([reader(), reader()])
}
