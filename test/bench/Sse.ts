/**
 * Thousands of readers of one campaign's stream on one process, beside a bare Node server that writes one buffer to a
 * set of responses: is every snapshot on time, and what does it cost?
 */
import { parseArgs } from "node:util"
import type { Answer, Question } from "./load/SseLoad.ts"
import * as Child from "./support/Child.ts"
import * as Dialling from "./support/Dialling.ts"
import { megabytes, ms, percent, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { streams: { type: "string", default: "5000" }, seconds: { type: "string", default: "20" } },
  })
  const streams = Number(values.streams)
  const seconds = Number(values.seconds)

  const postgres = await Postgres.start()
  const parley = await Parley.start(postgres, { env: { PARLEY_STREAMS_PER_ACCOUNT: String(streams + 1) } })
  const owner = await parley.account("bench")
  const stream = {
    url: `${parley.url}/api/v1/campaigns/${await waitingCampaign(owner)}/events`,
    headers: owner.headers,
  }
  const bare = await Child.start("test/bench/peers/SseNode.ts", {
    args: [JSON.stringify({ frame: await firstFrame(stream.url, stream.headers) })],
  })

  const watch = (url: string, { pid }: Child.Child, headers: Record<string, string>) =>
    Child.ask<Answer>("test/bench/load/SseLoad.ts", { url, pid, headers, streams, seconds } satisfies Question)
  const idle = { parley: Child.memoryOf(parley.pid).now, bare: Child.memoryOf(bare.pid).now }
  const limit = await watch(`${bare.url}/`, bare, {})
  const seen = await watch(stream.url, parley, stream.headers)

  heading(`Streams: ${whole(streams)} readers of one running campaign, ${seconds} s, a snapshot every 2 s`)
  const row = (label: string, answer: Answer, idle: number) => [
    label,
    times(answer.cpu / limit.cpu),
    percent(answer.cpu),
    megabytes(answer.memory),
    `${((answer.memory - idle) / streams / 1024).toFixed(1)} KB`,
    `${ms(answer.late.p50)} / ${ms(answer.late.p99)}`,
    `${(answer.gap.min / 1000).toFixed(2)}–${(answer.gap.max / 1000).toFixed(2)} s`,
    percent(answer.onTime),
    whole(answer.open),
    whole(answer.messages),
  ]
  table(
    ["server", "CPU ratio", "CPU", "memory", "a stream", "late p50 / p99", "gaps", "2 s ± 0.2 s", "open", "messages"],
    [row("Parley", seen, idle.parley), row("bare Node, one buffer (limit)", limit, idle.bare)],
  )
  note(
    `Late is from the time in the snapshot to its arrival at the reader; a message has ${whole(seen.bytesAMessage)} bytes.`,
  )
  machine()
  await bare.stop("SIGKILL")
  await parley.stop("SIGKILL")
  await postgres.stop()
}

/** A running campaign whose window does not open during the benchmark, so that streams are measured and not calls. */
const waitingCampaign = async (owner: Parley.Client): Promise<string> => {
  const line = await Dialling.prepare(owner)
  const dayAfterTomorrow = new Date(Date.now() + 2 * 86_400_000).getUTCDay()
  const days = [["sun", "mon", "tue", "wed", "thu", "fri", "sat"][dayAfterTomorrow]]
  const calling_window = JSON.stringify({ days, start: "09:00", end: "10:00", time_zone: "UTC" })
  const list = Buffer.from("phone_number,first_name\n+14155550173,Ada\n")
  const campaign = await owner.request(
    "POST",
    "/api/v1/campaigns",
    Dialling.form({ name: "watched", ...line, calling_window }, list),
  )
  await owner.request("POST", `/api/v1/campaigns/${campaign.id}/start`)
  return campaign.id
}

const firstFrame = async (url: string, headers: Record<string, string>): Promise<string> => {
  const response = await fetch(url, { headers })
  let text = ""
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const [frame] = /id: [^]*?\n\n/.exec(text) ?? []
    if (frame !== undefined) return frame
  }
  throw new Error(`${url} ended without a snapshot`)
}
