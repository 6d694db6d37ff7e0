/**
 * The largest contact list through POST /api/v1/campaigns, beside the same rows, prepared, by `\copy` into the same
 * table of a second account; its use of memory; and whether an upload that is cut, too large or invalid leaves anything
 * behind.
 */
import { execFile, execFileSync } from "node:child_process"
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import pg from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { v7 as uuidv7 } from "uuid"
import * as Child from "./support/Child.ts"
import { csvOf, readListArguments, rowsOf } from "./support/Csv.ts"
import * as Dialling from "./support/Dialling.ts"
import { median, megabytes, ms, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const tenMegabytes = 10 * 1_048_576

export const run = async (args: Array<string>) => {
  const { csv, profile, rounds, rows } = readListArguments(args)
  if (csv.length > tenMegabytes) throw new Error(`The list has ${csv.length} bytes`)

  const postgres = await Postgres.start()
  const parley = await Parley.start(postgres, { node: profile })
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))

  const seen = {
    upload: [] as Array<number>,
    copied: [] as Array<number>,
    bare: [] as Array<number>,
    memory: [] as Array<number>,
  }
  for (let round = 0; round < rounds; round++) {
    const importer = await parley.account(`import-${round}`)
    const line = await Dialling.prepare(importer)
    const upload = Dialling.form({ name: "all", ...line }, csv)
    const memory = Child.watchPeak(parley.pid)
    const campaign = await timed(seen.upload, () => importer.request("POST", "/api/v1/campaigns", upload))
    seen.memory.push(memory())
    if (campaign.counts.total !== rows.length) throw new Error(`Imported ${campaign.counts.total} of ${rows.length}`)

    // The same table with the same keys, indexes and triggers, in an account cloned from the same template.
    const peer = await parley.account(`peer-${round}`)
    const first = Dialling.form({ name: "one", ...(await Dialling.prepare(peer)) }, csvOf(rowsOf(1)))
    const { id } = await peer.request("POST", "/api/v1/campaigns", first)
    const database = await parley.databaseOf(`peer-${round}`)
    const file = join(folder, "rows.copy")
    writeFileSync(file, prepared(rows, id))
    await timed(seen.copied, () => copy(postgres.urlOf(database), "contacts", file))
    await postgres.query(database, "create table bare_contacts as table contacts with no data")
    await timed(seen.bare, () => copy(postgres.urlOf(database), "bare_contacts", file))
  }
  const aftermath = await refusals(postgres, parley, csv)

  heading(`Import: ${whole(rows.length)} rows, ${megabytes(csv.length)} of CSV, ${rounds} rounds`)
  const row = (what: string, values: ReadonlyArray<number>) => [
    what,
    times(median(values) / median(seen.copied)),
    ms(median(values)),
    ms(Math.max(...values)),
  ]
  table(
    ["what", "ratio", "median", "slowest"],
    [
      row("POST /api/v1/campaigns: CSV over HTTP to a campaign", seen.upload),
      row(`${hasPsql ? "psql \\copy" : "COPY"} of prepared rows into the same table`, seen.copied),
      row("the same into a bare table: no key, index or trigger (limit)", seen.bare),
    ],
  )
  note(`Memory of the server above what it had before: ${seen.memory.map(megabytes).join(", ")} by round.`)
  heading("What an upload leaves behind that did not succeed")
  table(["upload", "answer", "campaigns", "contacts", "open transactions"], aftermath)
  machine()
  rmSync(folder, { recursive: true, force: true })
  await parley.stop()
  await postgres.stop()
}

const timed = async <A>(into: Array<number>, work: () => Promise<A>): Promise<A> => {
  const began = performance.now()
  const result = await work()
  into.push(performance.now() - began)
  return result
}

const prepared = (rows: ReturnType<typeof rowsOf>, campaign: string): string =>
  rows
    .map(
      ({ fields, phone_number }, at) =>
        `${uuidv7()}\t${campaign}\t${at + 2}\t${phone_number}\t${JSON.stringify(fields)}\n`,
    )
    .join("")

const hasPsql = (() => {
  try {
    return execFileSync("psql", ["--version"]).length > 0
  } catch {
    return false
  }
})()

/** Copies by psql, or without it by the same COPY from Node, which only moves bytes from the file to the socket. */
const copy = async (url: string, into: string, file: string): Promise<unknown> => {
  const target = `${into} (id, campaign_id, position, phone_number, custom_fields) from`
  if (hasPsql) return promisify(execFile)("psql", [url, "-q", "-c", `\\copy ${target} '${file}'`])
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await pipeline(createReadStream(file), client.query(copyFrom(`copy ${target} stdin`)))
  return client.end()
}

/** Sends each bad upload to its own account, and counts what is left in its database. */
const refusals = async (postgres: Postgres.Postgres, parley: Parley.Parley, csv: Buffer) => {
  const half = csv.subarray(0, csv.lastIndexOf("\n", csv.length / 2) + 1)
  const filler = Buffer.from(`+4915119999999${",x".repeat(5)}\n`)
  const cases: Record<string, { readonly bytes: Buffer; readonly cutAt?: number }> = {
    "cut in the middle": { bytes: csv, cutAt: csv.length / 2 },
    "one byte too large": {
      bytes: Buffer.concat([csv, Buffer.alloc(tenMegabytes, filler)]).subarray(0, tenMegabytes + 1),
    },
    "more than half invalid": {
      bytes: Buffer.concat([half, Buffer.alloc(csv.length / 2, Buffer.from("no number,a,b,c,d,e\n"))]),
    },
    "invalid UTF-8 in the last line": { bytes: Buffer.concat([half, Buffer.from([0x2b, 0xff, 0xfe, 0x0a])]) },
  }
  const found: Array<ReadonlyArray<string>> = []
  for (const [at, [what, { bytes, cutAt }]] of Object.entries(cases).entries()) {
    const slug = `refused-${at}`
    const client = await parley.account(slug)
    const line = await Dialling.prepare(client)
    const answer = await upload(`${parley.url}/api/v1/campaigns`, client.headers, { name: what, ...line }, bytes, cutAt)
    const database = await parley.databaseOf(slug)
    const [left] = await postgres.query(
      database,
      `select (select count(*) from campaigns) as campaigns, (select count(*) from contacts) as contacts,
              (select count(*) from pg_stat_activity where datname = $1 and xact_start is not null and pid <> pg_backend_pid()) as open`,
      [database],
    )
    found.push([what, answer, left.campaigns, left.contacts, left.open])
  }
  return found
}

/** Written by hand, since the upload may stop in the middle. */
const upload = (
  url: string,
  headers: Record<string, string>,
  fields: Record<string, string>,
  bytes: Buffer,
  cutAt: number | undefined,
): Promise<string> =>
  new Promise((resolve) => {
    const boundary = "parley-bench"
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="contacts"; filename="c.csv"\r\ncontent-type: text/csv\r\n\r\n`
    const body = Buffer.concat([Buffer.from(parts.join("") + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
    const request = httpRequest(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": body.length,
      },
    })
    request.on("response", (response) => {
      response.resume()
      response.on("end", () => resolve(String(response.statusCode)))
    })
    // A server that refuses midway may close before everything was sent. Wait for its response, which comes first.
    request.on("error", () => setTimeout(() => resolve("connection closed"), 1_000))
    if (cutAt === undefined) request.end(body)
    else request.write(body.subarray(0, cutAt), () => request.destroy())
  })
