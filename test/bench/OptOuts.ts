/** How soon a wish not to be called again is committed: after its last word, and after Parley knew it. In real time. */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { form, prepare } from "./support/Dialling.ts"
import { median, ms, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/**
 * The revocation of consents is written by the transaction of the wish, and is not updated by the end of the call, as
 * the entry of the do-not-call list is.
 */
const delays = `
  select
    extract(epoch from pg_xact_commit_timestamp(r.xmin) - (c.opt_out ->> 'at')::timestamptz)::float8 * 1000 as known,
    extract(epoch from pg_xact_commit_timestamp(r.xmin) - c.answered_at)::float8 * 1000
      - (select max((said ->> 'ended_ms')::float8) from jsonb_array_elements(c.transcript) said
         where said ->> 'role' = 'caller' and (said ->> 'ended_ms')::float8 <= (c.opt_out ->> 'at_ms')::float8) as said
  from consents r join calls c on c.id = r.call_id where r.kind = 'revocation'`

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: { calls: { type: "string", default: "200" }, slots: { type: "string", default: "40" } },
  })
  const [calls, slots] = [Number(values.calls), Number(values.slots)]
  const postgres = await Postgres.start({ track_commit_timestamp: "on" })
  const parley = await Parley.start(postgres, { env: { LAB_SPEED: "1" } })
  const rows = []
  for (const opt_out_scope of ["account", "subject"]) {
    const slug = `of-${opt_out_scope}`
    const client = await parley.account(slug, { concurrent_max: slots, calls_per_minute: 10_000 })
    // The lab's people whose numbers end in 99 ask never to be called again.
    const list = Array.from({ length: calls }, (_, at) => `+49151${100_000 + at}99`)
    const settings = { name: "all", max_concurrent_calls: values.slots, subject: "Energy tariffs", opt_out_scope }
    const { id } = await client.request(
      "POST",
      "/api/v1/campaigns",
      form({ ...settings, ...(await prepare(client)) }, Buffer.from(`phone_number\n${list.join("\n")}\n`)),
    )
    await client.request("POST", `/api/v1/campaigns/${id}/start`)
    while ((await client.request("GET", `/api/v1/campaigns/${id}`)).status !== "completed") await sleep(500)
    const found = await postgres.query(await parley.databaseOf(slug), delays)
    const row = (what: string, of: ReadonlyArray<number>) => [
      `${opt_out_scope}: ${what}`,
      whole(of.length),
      ms(median(of)),
      ms(percentile(of, 0.99)),
      ms(Math.max(...of)),
    ]
    rows.push(
      row(
        "after Parley knew the wish",
        found.map(({ known }) => known),
      ),
    )
    rows.push(
      row(
        "after its last word",
        found.map(({ said }) => said),
      ),
    )
  }
  heading("From a wish not to be called again to its commit")
  table(["`opt_out_scope`", "calls", "median", "99th percentile", "slowest"], rows)
  note(`${whole(slots)} calls at once in the lab, whose recogniser takes no time. PostgreSQL's commit timestamps.`)
  machine()
  await parley.stop()
  await postgres.stop()
}
