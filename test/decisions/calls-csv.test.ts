/** The account's calls as a file: what the list finds, on all of its pages. */
import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import { openAccount } from "../support/AccountTables.ts"
import { caller } from "../support/Callers.ts"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { readByPython } from "../support/PythonCsv.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const platform = new URL(inject("postgres"))
platform.pathname = `/${directory}`

/** The rows of the file by the names of its columns. */
const exported = async (owner: Client, query = ""): Promise<ReadonlyArray<Record<string, string>>> => {
  const answer = await owner.get(`/api/v1/calls.csv?${query}` as "/api/v1/calls.csv")
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="calls.csv"/)
  const [[header = [], ...rows] = []] = await readByPython([String(answer.body)])
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [header[at], cell])))
}

it.layer(TestServer.layerWith({ DATABASE_URL: platform.href, LAB_SPEED: "60" }), {
  excludeTestServices: true,
  timeout: "120 seconds",
})("calls.csv", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("has what the list finds, newest first, as other readers read it, and leaves an entry", async (_, owner) => {
    const lab = await caller(owner)
    const busy = await lab.through("+14155551270")
    const short = await lab.through("+14155551260")
    const rows = await exported(owner)
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      [short.id, busy.id],
    )
    const { agent_name, ended_at, started_at, to } = short
    assert.include(rows[0], { to: to ?? "", outcome: "answered", agent_name, started_at, ended_at: ended_at ?? "" })
    assert.strictEqual(Number(rows[0]?.["cost"]), short.cost.amount)
    const found = async (query: string) => (await exported(owner, query)).map(({ id }) => id)
    assert.deepStrictEqual(await found("outcome=busy"), [busy.id])
    assert.deepStrictEqual(await found("search=555%2012%2060"), [short.id])
    assert.deepStrictEqual(await found(`to=${encodeURIComponent(busy.started_at)}`), [])
    refused(await owner.get("/api/v1/calls.csv?page=1" as never), 400, "invalid_request", "/query/page")
    assert.strictEqual(made(await owner.get("/api/v1/audit")).items[0]?.action, "call.export")
  })

  test("has every call once, also where pages end between calls of one moment", async (_, owner) => {
    const { agent } = await caller(owner)
    const database = await openAccount(directory, owner.account)
    await database.query(
      `insert into calls (id, direction, status, outcome, agent_id, agent_name, to_number, node_id, started_at, ended_at)
       select gen_random_uuid(), 'outbound', 'failed', 'busy', $1, '=Rosa', '+14155550132', gen_random_uuid(),
              '2026-01-01T00:00:00.123456Z', now() from generate_series(1, 450)`,
      [agent.id],
    )
    await database.close()
    const rows = await exported(owner)
    assert.lengthOf(new Set(rows.map(({ id }) => id)), 450)
    assert.include(rows[0], { agent_name: "'=Rosa", to: "+14155550132" })
  })
})
