/**
 * Calls over RTP on one process: how evenly their frames leave, measured by the far end in another process, beside the
 * least that this machine takes to send the same packets, and that Node takes to send and receive them.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import type { Answer, Question } from "./load/MediaCalls.ts"
import * as Child from "./support/Child.ts"
import { ms, percent, whole } from "./support/Numbers.ts"
import { heading, machine, note, table } from "./support/Report.ts"

interface Arrived {
  readonly packets: number
  readonly lost: number
  /** Gaps of more than 80 ms: frames that came more than 60 ms late. */
  readonly late: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** The cost of sending. The floor receives nothing. */
type Sent = Pick<Answer, "cpu"> & Partial<Answer>

type Command = readonly [string, ...ReadonlyArray<string>]

const node: Command = [process.execPath, join(Child.repository, "test/bench/peers/RtpPeer.ts")]

/**
 * The command for the far end and the floor. In C if it can be compiled, since Node would measure its own lateness too.
 */
const farSide = (): { readonly name: string; readonly command: Command } => {
  const program = join(mkdtempSync(join(tmpdir(), "parley-bench-")), "peer")
  const source = join(Child.repository, "test/bench/peers/RtpPeer.c")
  const { status } = spawnSync("cc", ["-O2", "-o", program, source], { stdio: "ignore" })
  if (status === 0) return { name: "C", command: [program] }
  return { name: "Node", command: node }
}

const peer = 19_000
const first = 19_002

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { calls: { type: "string", default: "200" }, seconds: { type: "string", default: "20" } },
  })
  const calls = Number(values.calls)
  const seconds = Number(values.seconds)
  const { command, name } = farSide()
  const far = async <Result>(mode: "measure" | "pace", [program, ...options] = command): Promise<Result> => {
    const order = [mode, calls, peer, first, seconds].map(String)
    return JSON.parse((await promisify(execFile)(program, [...options, ...order])).stdout)
  }
  const parley = (otherWork: number) =>
    Child.ask<Answer>("test/bench/load/MediaCalls.ts", { calls, first, peer, seconds, otherWork } satisfies Question, [
      "--max-semi-space-size=16",
    ])
  const measure = async (what: string, work: Promise<Sent>): Promise<ReadonlyArray<string>> => {
    const [arrived, sent] = await Promise.all([far<Arrived>("measure"), work])
    return [
      what,
      ...[arrived.p50, arrived.p99, arrived.p999, arrived.max].map(ms),
      percent(arrived.late / arrived.packets),
      whole(arrived.lost),
      percent(sent.cpu),
      sent.kernel === undefined ? "" : percent(sent.kernel),
      sent.late === undefined || sent.received === undefined ? "" : percent(sent.late / sent.received),
    ]
  }
  const rows = [
    await measure(`${name}, sending the same (floor)`, far("pace")),
    await measure("Node, sending and receiving the same (limit)", far("pace", node)),
    await measure("Parley", parley(0)),
    await measure("Parley, with 30 % other work on the thread", parley(0.3)),
    await measure(`${name} again`, far("pace")),
  ]

  heading(`Sound: ${whole(calls)} calls of G.711 on one process, ${seconds} s`)
  table(
    [
      "sender",
      "gap p50",
      "p99",
      "p99.9",
      "longest",
      "over 60 ms late",
      "lost",
      "CPU, of a core",
      "kernel's part",
      "heard too late",
    ],
    rows,
  )
  note(
    "Gaps are between the packets of a call as the far side's kernel stamps them. Parley and the limit also receive a stream in each call; the floor only sends. The limit is what Node itself takes: it does nothing with what it receives.",
  )
  machine()
}
