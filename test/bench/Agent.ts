/**
 * What Parley adds to a turn: simultaneous calls on one process, over the lab in real time, with a model in another
 * process whose time is known. Measures from the end of the caller's sentence to the agent's first word, without the
 * wait for the end of that sentence and without the model. Then measures Python tools.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { LivekitAnswer, LivekitQuestion } from "./peers/LivekitLoop.ts"
import type { Served } from "./peers/Model.ts"
import * as Child from "./support/Child.ts"
import { form } from "./support/Dialling.ts"
import { ms, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

interface Loop {
  /** Parley's own time in each turn that was heard, in milliseconds. */
  readonly own: ReadonlyArray<number>
  /** Turns for which the model was asked. A call's last one is not heard, since the party who says goodbye hangs up. */
  readonly turns: number
  readonly cpu_ms: number
}

/** A turn asks the model twice: for a tool, and with its result. */
const requestsATurn = 2

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "100" },
      rounds: { type: "string", default: "2" },
      /** Seconds within which the calls begin. 0: all at once. */
      within: { type: "string", default: "8" },
      livekit: { type: "string" },
      profile: { type: "string" },
    },
  })
  const calls = Number(values.calls)
  const rounds = Number(values.rounds)
  const postgres = await Postgres.start()
  const model = await Child.start("test/bench/peers/Model.ts")
  const node = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  const parley = await Parley.start(postgres, { env: { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` }, node })
  const owner = await parley.account("bench", { concurrent_max: 1_000, calls_per_minute: 100_000 })

  const ours: Array<Loop> = []
  if (calls > 0) {
    const line = await prepare(owner)
    // A server usually runs warm code, so the first round is not measured.
    const talkIn = (round: number, count: number) =>
      talk({ owner, parley, modelUrl: model.url, line, within: Number(values.within) }, round, count)
    await talkIn(0, calls / 4)
    for (let round = 1; round <= rounds; round++) ours.push(await talkIn(round, calls))
  }
  const python = await pythonTools(owner)
  await parley.stop()

  const peer = values.livekit === undefined || calls === 0 ? undefined : await livekit(values.livekit, model.url, calls)
  if (calls > 0) {
    heading(
      `Turns: ${calls} calls at the same time, begun within ${values.within} s, a model of 300 ms and 60 tokens/s in another process`,
    )
    table(
      ["loop", "turns heard", "own share p50", "p95", "p99", "most", "CPU a turn"],
      [
        row("Parley: whole calls, with database, log and events", ours),
        ...(peer === undefined ? [] : [row(`@livekit/agents ${peer.version}: text sessions alone`, [peer])]),
      ],
    )
    if (peer === undefined) note("Beside it, with the package in a folder of its own: `--livekit FOLDER`.")
  }
  heading("Python tools, a fresh worker each")
  table(["what", "p50", "p99", "most"], python)
  machine()
  await model.stop()
  await postgres.stop()
}

const row = (name: string, loops: ReadonlyArray<Loop>) => {
  const own = loops.flatMap((loop) => loop.own)
  const sumOf = (value: (loop: Loop) => number) => loops.reduce((sum, loop) => sum + value(loop), 0)
  const cpu = sumOf(({ cpu_ms }) => cpu_ms) / sumOf(({ turns }) => turns)
  return [name, whole(own.length), ...[0.5, 0.95, 0.99, 1].map((share) => ms(percentile(own, share))), ms(cpu)]
}

const prepare = async (owner: Parley.Client) => {
  const agent = await owner.request("POST", "/api/agents", {
    name: "bench",
    system_prompt: "You are brief. This is case number {{ phone_number }}.",
    first_message: "Hello, this is the bench. When would it suit you?",
    model: { provider: "openai-compatible", id: "m" },
  })
  await owner.request("POST", `/api/agents/${agent.id}/tools`, { tool_name: "get_current_time" })
  await owner.request("POST", `/api/agents/${agent.id}/playbooks`, { playbook_id: "opt_out_manners" })
  const number = await owner.request("POST", "/api/phone-numbers", { number: "+14155550100", carrier: "lab" })
  return { agent_id: agent.id, phone_number_id: number.id }
}

/** A number that ends in 10 to 19, which the lab answers with a conversation. */
const chatting = (at: number) =>
  `+1415${String(2_000_000 + Math.floor(at / 10) * 100 + 10 + (at % 10)).padStart(7, "0")}`

interface Bench {
  readonly owner: Parley.Client
  readonly parley: Parley.Parley
  readonly modelUrl: string
  readonly line: Record<string, string>
  readonly within: number
}

/** The number of calls that begin at the same moment. */
const together = 5

/**
 * Starts the calls one group after another, as people are called. Calls that all began at once would speak and be
 * answered at the same moments to their end, and each turn would wait for a hundred others, which no real load does.
 */
const talk = async ({ line, modelUrl, owner, parley, within }: Bench, round: number, calls: number): Promise<Loop> => {
  const size = within === 0 ? calls : together
  const campaigns: Array<string> = []
  for (let from = 0; from < calls; from += size) {
    const rows = Array.from({ length: Math.min(size, calls - from) }, (_, at) => chatting(round * calls + from + at))
    const { id } = await owner.request(
      "POST",
      "/api/v1/campaigns",
      form(
        { ...line, name: `Turns from ${from}`, max_concurrent_calls: String(size) },
        Buffer.from(`phone_number\n${rows.join("\n")}\n`),
      ),
    )
    campaigns.push(id)
  }
  const before = Child.cpuOf(parley.pid)
  const began = performance.now()
  for (const [at, id] of campaigns.entries()) {
    await sleep(Math.max(0, began + (at * within * 1_000) / campaigns.length - performance.now()))
    await owner.request("POST", `/api/v1/campaigns/${id}/start`)
  }
  for (const id of campaigns) {
    while ((await owner.request("GET", `/api/v1/campaigns/${id}`)).status !== "completed") await sleep(1_000)
  }
  const cpu_ms = (Child.cpuOf(parley.pid) - before) * 1_000
  const served: Record<string, ReadonlyArray<Served>> = await (await fetch(`${modelUrl}/served`)).json()
  const own: Array<number> = []
  for (const id of campaigns) {
    for (let page = 0; page * 100 < size; page++) {
      const { items } = await owner.request("GET", `/api/v1/calls?campaign_id=${id}&page=${page}&page_size=100`)
      for (const { id } of items) own.push(...ownShares(await owner.request("GET", `/api/v1/calls/${id}`), served))
    }
  }
  return { own, turns: turnsOf(served), cpu_ms }
}

const turnsOf = (served: Record<string, ReadonlyArray<Served>>) => Object.values(served).flat().length / requestsATurn

interface Call {
  readonly to: string
  readonly turns: ReadonlyArray<{
    readonly started_by: string
    readonly endpoint_ms: number
    readonly response_ms: number | null
    readonly tokens_in?: number
  }>
}

/** Parley's share of each turn that the model answered. A call without exactly two requests per turn is left out. */
const ownShares = ({ to, turns }: Call, served: Record<string, ReadonlyArray<Served>>): ReadonlyArray<number> => {
  const answered = turns.filter(({ started_by, tokens_in }) => started_by === "caller" && tokens_in !== undefined)
  const requests = served[to] ?? []
  if (requests.length !== answered.length * requestsATurn) return []
  return answered.flatMap(({ endpoint_ms, response_ms }, at) => {
    const model = took(requests.slice(at * requestsATurn, (at + 1) * requestsATurn))
    return response_ms === null ? [] : [response_ms - endpoint_ms - model]
  })
}

const took = (requests: ReadonlyArray<Served>) =>
  requests.reduce((sum, { arrived_at, left_at }) => sum + left_at - arrived_at, 0)

const livekit = async (folder: string, url: string, sessions: number): Promise<Loop & { readonly version: string }> => {
  const question: LivekitQuestion = { folder, url, sessions, turns: 5 }
  const { cpu_ms, turns, version } = await Child.ask<LivekitAnswer>("test/bench/peers/LivekitLoop.ts", question)
  const served: Record<string, ReadonlyArray<Served>> = await (await fetch(`${url}/served`)).json()
  const so_far = new Map<string, number>()
  const own = turns.map(({ conversation, took_ms }) => {
    const at = so_far.get(conversation) ?? 0
    so_far.set(conversation, at + 1)
    const requests = (served[conversation] ?? []).slice(at * requestsATurn, (at + 1) * requestsATurn)
    return took_ms - took(requests)
  })
  return { own, turns: turnsOf(served), cpu_ms, version }
}

/** Invokes a Python tool 200 times in sequence over HTTP from another process, then fifty times at once. */
const pythonTools = async (owner: Parley.Client): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const { name } = await owner.request("POST", "/api/tools", {
    name: "sum",
    description: "Adds two numbers.",
    implementation_type: "python",
    implementation_code: "def run(arguments, context):\n    return arguments['a'] + arguments['b']\n",
  })
  const invoke = async (a: number) => {
    const began = performance.now()
    const answer = await owner.request("POST", `/api/tools/${name}/invoke`, { arguments: { a, b: 1 } })
    if (answer.error === undefined && answer.result !== a + 1) throw new Error(`sum gave ${JSON.stringify(answer)}`)
    return { took: performance.now() - began, error: answer.error?.code as string | undefined }
  }
  const one = async (at: number) => {
    const { error, took } = await invoke(at)
    if (error === "sandbox_unavailable") throw new Error("Python tools cannot run: see docs/python-tools.md")
    return took
  }
  const alone: Array<number> = []
  for (let at = 0; at < 220; at++) {
    const took = await one(at)
    if (at >= 20) alone.push(took)
    await sleep(40)
  }
  const atOnce = await Promise.all(Array.from({ length: 50 }, (_, at) => invoke(at)))
  const errors = atOnce.filter(({ error }) => error !== undefined)
  const cells = (values: ReadonlyArray<number>) => [0.5, 0.99, 1].map((share) => ms(percentile(values, share)))
  return [
    ["a function that adds, 200 times, one after another", ...cells(alone)],
    [`50 at once, ${errors.length} refused`, ...cells(atOnce.map(({ took }) => took))],
  ]
}
