/** What a process still holds of ended SIP calls: heap after a garbage collection, memory, sockets. */
import { Effect, Scope } from "effect"
import { readdirSync } from "node:fs"
import { parseArgs } from "node:util"
import { callsAndHangsUp, sippCalling, sippFault } from "../support/Sipp.ts"
import { sipSettings } from "../support/SipTrunk.ts"
import { speechServer } from "../support/SpeechServer.ts"
import { until } from "../support/Until.ts"
import * as Child from "./support/Child.ts"
import * as Inspector from "./support/Inspector.ts"
import { megabytes, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** New calls per second. */
const rate = 12
/** Calls of one run of sipp, which take 42 s of the 90 s that a run may take. */
const atOnce = 500
const rowEvery = 1_000

export const run = async (args: Array<string>) => {
  if (sippFault !== undefined) throw new Error(`${sippFault}. On Debian, apt-get install sip-tester.`)
  const { values } = parseArgs({ args, options: { calls: { type: "string", default: "5000" } } })
  const total = Number(values.calls)

  const { url } = await Effect.runPromise(Scope.provide(speechServer, Scope.makeUnsafe()))
  const settings = await sipSettings(url)
  const postgres = await Postgres.start()
  const inspector = await Inspector.freePort()
  const parley = await Parley.start(postgres, { env: settings, node: [`--inspect=127.0.0.1:${inspector}`] })
  const owner = await parley.account("ended", { concurrent_max: 100, calls_per_minute: 10_000, calls_per_day: 100_000 })
  const agent = await owner.request("POST", "/api/agents", { name: "rosa", system_prompt: "You are Rosa." })
  const number = "+14155570000"
  await owner.request("POST", "/api/phone-numbers", {
    number,
    carrier: "sip",
    carrier_config: { server: "127.0.0.1", transport: "udp" },
    inbound_agent_id: agent.id,
  })

  const answered = async (): Promise<number> =>
    (await owner.request("GET", "/api/v1/calls?direction=inbound&outcome=answered&status=completed")).total
  const held = async (calls: number): Promise<ReadonlyArray<string>> => [
    whole(calls),
    megabytes(await Inspector.heapOf(inspector)),
    megabytes(Child.memoryOf(parley.pid).now),
    whole(readdirSync(`/proc/${parley.pid}/fd`).length),
  ]
  const rows = [await held(0)]
  for (let calls = 0; calls < total; calls += atOnce) {
    const more = Math.min(atOnce, total - calls)
    const to = Number(settings["PARLEY_SIP_PORT"])
    const { complaint, ended } = sippCalling(await Inspector.freePort(), more, callsAndHangsUp, { number, rate, to })
    if (!(await ended)) throw new Error(`A call did not go as written: ${complaint()}`)
    await until(async () => (await answered()) === calls + more)
    if ((calls + more) % rowEvery === 0 || calls + more === total) rows.push(await held(calls + more))
  }

  heading(`What is held of ${whole(total)} incoming calls over SIP that have ended`)
  table(["calls that have ended", "heap", "resident memory", "files and sockets"], rows)
  note(
    `${rate} new calls a second from sipp, each answered by an agent that speaks; the caller hangs up after half a second.`,
  )
  machine()
  await parley.stop()
  await postgres.stop()
}
