/** Calls over a carrier that outlive the process that placed them: reports to another process, kill -9, and a stop. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { inject } from "vitest"
import type { Call } from "../../../src/domain/Call.ts"
import { caller, wide } from "../../support/Callers.ts"
import { assertTalkedThrough, CarrierProcess, twilioNumber } from "../../support/CarrierProcess.ts"
import { freePort } from "../../support/FreePorts.ts"
import { made } from "../../support/Fixtures.ts"
import { emptyFolder, type Process, start } from "../../support/Process.ts"
import { type Client, speak } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

/** The extra time that is allowed for a machine that is busy, or stalls for a while. */
const slackMs = 30_000

/** One that places the calls, and one that Twilio's reports reach. */
interface Pair {
  readonly carrier: CarrierProcess["Service"]
  readonly placing: Process
  readonly place: (to: string) => Promise<string>
  /** The owner of the account, through the other process. */
  readonly other: Client
  readonly call: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  /** In the account's database. */
  readonly query: (sql: string) => Promise<unknown>
}

it.layer(CarrierProcess.layer, { timeout: "180 seconds", excludeTestServices: true })("calls that outlive", (it) => {
  const test = (name: string, body: (pair: Pair) => Promise<void>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const carrier = yield* CarrierProcess
          yield* Effect.promise(async () => {
            await carrier.ask("POST", "/control", { reset: true })
            const folder = emptyFolder()
            const database = new URL(inject("postgres"))
            database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
            const port = await freePort()
            const env = {
              DATABASE_URL: database.href,
              DATABASE_MAX_CONNECTIONS: "20",
              PARLEY_DATA_DIR: folder,
              TWILIO_API_URL: carrier.url,
              PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
            }
            const listening = start({ ...env, PORT: String(port) })
            const url = await listening.ready
            const placing = start(env)
            try {
              const other = await speak(url).ownerOf("outlive", wide)
              const lab = await caller(other)
              const number = await twilioNumber(other)
              const owner = await speak(await placing.ready).ownerOf("outlive", wide)
              const place: Pair["place"] = async (to) => {
                const body = { agent_id: lab.agent.id, phone_number_id: number.id, to }
                return made(await owner.post("/api/v1/calls", body)).id
              }
              const call: Pair["call"] = async (id) => made(await other.get(`/api/v1/calls/${id}`))
              const query: Pair["query"] = async (sql) => {
                const platform = new pg.Client(database.href)
                await platform.connect()
                const { rows } = await platform.query("select database from accounts where slug = 'outlive'")
                await platform.end()
                const tenant = new URL(database)
                tenant.pathname = `/${rows[0].database}`
                const client = new pg.Client(tenant.href)
                await client.connect()
                await client.query(sql)
                await client.end()
              }
              await body({ carrier, placing, place, other, call, ended: lab.ended, query })
            } finally {
              for (const process of [placing, listening]) process.child.kill("SIGKILL")
              await Promise.all([placing.ended, listening.ended])
            }
          })
        }),
      300_000,
    )
  const events = (pair: Pair, id: string) => pair.carrier.truth(id).map(({ event }) => event)
  const agentSaid = async (pair: Pair, id: string): Promise<ReadonlyArray<string>> => {
    const [there] = (await pair.carrier.ask("GET", "/calls")).filter(
      ({ order }) => order.status_callback.split("/").at(-2) === id,
    )
    return (there?.transcript ?? []).filter(({ role }) => role === "agent").map(({ text }) => text)
  }

  test("a call is talked through whichever process its reports reach", async (pair) => {
    const call = await pair.ended(await pair.place("+14155580100"))
    assertTalkedThrough(call)
    assert.deepStrictEqual(events(pair, call.id), ["create", "ring", "answer", "end"])
  })

  test("after kill -9 a talk is ended at the carrier by another process, and only then settled", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await pair.call(id)).status === "in_progress")
    const killed = Date.now()
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "completed", outcome: "answered", end_reason: "interrupted" })
    const end = pair.carrier.truth(id).at(-1)!
    assert.strictEqual(end.event, "end")
    assert.isAtMost(Date.parse(end.at), Date.parse(call.ended_at!))
    assert.isBelow(Date.now() - killed, 20_000 + slackMs)
  })

  test("after kill -9 in the middle of the order the call is found without its name, and stopped", async (pair) => {
    // No answer to the order, and no report of it.
    await pair.carrier.ask("POST", "/control", { create: { timeout_after: 1 }, callbacks: { drop: 1 } })
    const id = await pair.place("+14155580176")
    await until(() => events(pair, id).includes("create"))
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "failed", outcome: "no_answer" })
    assert.strictEqual(pair.carrier.truth(id).at(-1)?.event, "end")
    assert.isAtMost(Date.parse(pair.carrier.truth(id).at(-1)!.at), Date.parse(call.ended_at!))
  })

  test("after kill -9 a call that the carrier has never made ends unknown within 30 s", async (pair) => {
    await pair.carrier.ask("POST", "/control", { create: { timeout_before: 1 } })
    const id = await pair.place("+14155580100")
    // The order is on its way, and nothing will come of it.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const killed = Date.now()
    pair.placing.child.kill("SIGKILL")
    const call = await pair.ended(id)
    assert.include(call, { status: "failed", outcome: "unknown", end_reason: "interrupted" })
    assert.deepStrictEqual(pair.carrier.truth(id), [])
    assert.isBelow(Date.now() - killed, 30_000 + slackMs)
  })

  test("a process that stood still finds its call in other hands, and says nothing more on it", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    pair.placing.child.kill("SIGSTOP")
    const call = await pair.ended(id)
    assert.include(call, { outcome: "answered", end_reason: "interrupted" })
    assert.strictEqual(pair.carrier.truth(id).at(-1)?.event, "end")
    const said = await agentSaid(pair, id)
    pair.placing.child.kill("SIGCONT")
    // It is itself again, and what it places is its own.
    const next = await pair.ended(await pair.place("+14155580170"))
    assert.strictEqual(next.outcome, "busy")
    assert.deepStrictEqual(await agentSaid(pair, id), said)
    assert.deepStrictEqual(await pair.call(id), call)
    assert.deepStrictEqual(events(pair, id), ["create", "ring", "answer", "end"])
  })

  test("a call that was given up and lives all the same is ended at the first report of it", async (pair) => {
    const id = await pair.place("+14155580165")
    await until(async () => (await agentSaid(pair, id)).length > 0)
    pair.placing.child.kill("SIGKILL")
    // As if no process had found it.
    await pair.query(`
      update calls set status = 'failed', outcome = 'unknown', end_reason = 'interrupted', ended_at = clock_timestamp()
      where id = '${id}'`)
    const given = await pair.call(id)
    await until(() => events(pair, id).includes("end"))
    assert.deepStrictEqual(await pair.call(id), given)
  })
})
