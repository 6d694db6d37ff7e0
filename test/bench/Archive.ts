/**
 * Time and memory to archive an account with many calls: an owner's export, and an export and an import by `parley`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Child from "./support/Child.ts"
import * as Dialling from "./support/Dialling.ts"
import { megabytes, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

/** Calls of 12 entries whose words gzip cannot compress, some 2.5 kB each. */
const calls = `
  insert into calls (id, direction, status, outcome, agent_id, agent_name, node_id, to_number, started_at, answered_at,
    ended_at, transcript, end_reason)
  select gen_random_uuid(), 'outbound', 'completed', 'answered', $1, 'Bench', gen_random_uuid(), '+1212555' || at % 10000,
    now() - at * interval '1 second', now() - at * interval '1 second', now(), (
      select jsonb_agg(jsonb_build_object('role', case entry % 2 when 0 then 'agent' else 'user' end, 'at_ms', entry * 1000,
        'text', md5(at::text || entry) || ' ' || md5(entry::text || at) || ' would like an appointment on Tuesday at ten'))
      from generate_series(1, 12) entry), 'agent_hung_up'
  from generate_series(1, $2::int) at`

/** Runs `parley`. Returns the seconds it took and its peak memory. */
const command = async (env: Record<string, string>, args: ReadonlyArray<string>) => {
  const began = performance.now()
  const child = spawn(process.execPath, [join(Child.repository, "src/parley.ts"), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let complaints = ""
  child.stderr.on("data", (chunk: Buffer) => (complaints = `${complaints}${chunk.toString()}`.slice(-2_000)))
  let peak = 0
  const watch = setInterval(() => {
    if (child.exitCode === null) peak = Math.max(peak, Child.memoryOf(child.pid ?? 0).peak)
  }, 100)
  const [code] = await once(child, "exit")
  clearInterval(watch)
  if (code !== 0) throw new Error(`parley ${args.join(" ")} ended with ${code}: ${complaints}`)
  return { seconds: (performance.now() - began) / 1_000, peak }
}

const highestLag = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN)
}

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({ args, options: { calls: { type: "string", default: "100000" } } })
  const postgres = await Postgres.start()
  const parley = await Parley.start(postgres, { env: { PARLEY_ENCRYPTION_KEY: encryptionKey } })
  const owner = await parley.account("bench")
  const { agent_id } = await Dialling.prepare(owner)
  await postgres.query(await parley.databaseOf("bench"), calls, [agent_id, Number(values.calls)])

  // Measure the event loop's lag before the export too, since other work on the machine also causes pauses.
  let before = 0
  await highestLag(parley.url)
  for (let count = 0; count < 20; count++) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    before = Math.max(before, await highestLag(parley.url))
  }
  const memory = Child.watchPeak(parley.pid)
  const began = performance.now()
  const { id } = await owner.request("POST", "/api/v1/exports", {})
  let ordered = await owner.request("GET", `/api/v1/exports/${id}`)
  let lag = 0
  while (ordered.status === "running") {
    await new Promise((resolve) => setTimeout(resolve, 250))
    ordered = await owner.request("GET", `/api/v1/exports/${id}`)
    lag = Math.max(lag, await highestLag(parley.url))
  }
  const seconds = (performance.now() - began) / 1_000
  if (ordered.status !== "completed") throw new Error(ordered.reason)
  const above = memory()

  const folder = mkdtempSync(join(tmpdir(), "parley-bench-archive-"))
  const file = join(folder, "bench.tar.gz")
  const env = {
    DATABASE_URL: postgres.urlOf(Parley.platformDatabase),
    PARLEY_DATA_DIR: folder,
    PARLEY_ENCRYPTION_KEY: encryptionKey,
    PARLEY_ARCHIVE_PASSPHRASE: "a passphrase for the bench",
  }
  const exported = await command(env, ["accounts", "export", "bench", "--to", file])
  const imported = await command(env, ["accounts", "import", file, "--as", "bench-2"])

  heading(`An account as a file: ${whole(Number(values.calls))} calls, ${megabytes(statSync(file).size)} packed`)
  table(
    ["what", "seconds", "calls/s", "memory"],
    [
      ["POST /api/v1/exports, in the server", seconds, `+${megabytes(above)}`] as const,
      ["parley accounts export", exported.seconds, megabytes(exported.peak)] as const,
      ["parley accounts import", imported.seconds, megabytes(imported.peak)] as const,
    ].map(([what, took, peak]) => [what, took.toFixed(1), whole(Number(values.calls) / took), peak]),
  )
  const inMs = (pause: number) => `${(pause * 1_000).toFixed(0)} ms`
  note(`Longest pause of the server's event loop meanwhile: ${inMs(lag)}; in 5 s before: ${inMs(before)}.`)
  machine()
  rmSync(folder, { recursive: true, force: true })
  await parley.stop()
  await postgres.stop()
}
