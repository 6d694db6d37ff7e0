/** An owner exports the account over HTTP: what is in the file, who may have it, and when it is gone. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { existsSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { inject } from "vitest"
import { ExportFolder } from "../../src/archive/ExportFolder.ts"
import { ObjectStore } from "../../src/recording/ObjectStore.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { openAccount } from "../support/AccountTables.ts"
import { everything, made } from "../support/Fixtures.ts"
import { objectServer } from "../support/ObjectServer.ts"
import { refused } from "../support/Problems.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { layer as tenancy, newAccount } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const folder = mkdtempSync(join(tmpdir(), "parley-exports-"))
const platform = new URL(inject("postgres"))
platform.pathname = `/${directory}`

const exported = async (client: Client, wanted = {}) => {
  const { id } = made(await client.post("/api/v1/exports", wanted))
  return until(async () => {
    const found = made(await client.get(`/api/v1/exports/${id}`))
    return found.status !== "running" && found
  })
}

const download = (url: string, { account, token }: Client, id: string, headers = {}) =>
  fetch(`${url}/api/v1/exports/${id}/file`, {
    headers: { authorization: `Bearer ${token}`, "x-account-id": account, ...headers },
  })

it.layer(TestServer.layerWith({ DATABASE_URL: platform.href, PARLEY_EXPORTS_DIR: folder }), {
  excludeTestServices: true,
  timeout: "120 seconds",
})("an export", (it) => {
  const test = (name: string, body: (server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server))))

  test("has what the account has, without its secrets, and nothing of another account", async (server) => {
    const owner = await server.ownerOf("acme")
    const all = await everything(owner, "acmemark")
    await everything(await server.ownerOf("globex"), "globexmark", "+141555502")
    made(
      await owner.post("/api/tools", {
        name: "crm",
        description: "Asks the CRM",
        implementation_type: "http",
        implementation_config: { method: "GET", url: "https://crm.example", headers: { "X-Key": "hush hush" } },
      }),
    )
    const done = await exported(owner)
    assert.strictEqual(done.status, "completed")
    assert.strictEqual(done.progress.rows, done.progress.rows_total)
    assert.isNull(done.reason)
    const answer = await download(server.url, owner, done.id)
    const file = Buffer.from(await answer.arrayBuffer())
    assert.strictEqual(answer.headers.get("content-disposition"), `attachment; filename="acme-${done.id}.tar.gz"`)
    assert.strictEqual(file.length, done.bytes)
    const text = gunzipSync(file).toString()
    for (const seen of ["agent-acmemark", "acmemark.invalid", all.campaign.id, "+14155550199", '"X-Key":"********"']) {
      assert.include(text, seen)
    }
    for (const hidden of ["globexmark", "hush hush", "$sealed", "secret_hash", String(all.webhook.secret)]) {
      assert.notInclude(text, hidden)
    }

    const part = await download(server.url, owner, done.id, { range: "bytes=10-19" })
    assert.strictEqual(part.status, 206)
    assert.deepStrictEqual(Buffer.from(await part.arrayBuffer()), file.subarray(10, 20))
  })

  test("is for owners of the account alone", async (server) => {
    const owner = await server.ownerOf("acme")
    const { id } = await exported(owner, { recordings: false })
    const other = await server.ownerOf("globex")
    refused(await other.get(`/api/v1/exports/${id}`), 404, "not_found")
    assert.strictEqual((await download(server.url, other, id)).status, 404)
    const { key: token } = made(
      await owner.post("/api/v1/api-keys", { name: "all", scopes: ["read", "write", "dial"] }),
    )
    for (const path of ["/api/v1/exports", `/api/v1/exports/${id}`, `/api/v1/exports/${id}/file`] as const) {
      assert.strictEqual((await owner.get(path, { token })).status, 403)
    }
    assert.strictEqual((await owner.post("/api/v1/exports", {}, { token })).status, 403)
  })

  test("is one at a time, replaces the one before it, and is withdrawn when a person is erased", async (server) => {
    const owner = await server.ownerOf("acme")
    const { id: account, query } = await openAccount(directory, "acme")
    const files = () => readdirSync(join(folder, account))
    const before = await exported(owner)
    assert.deepStrictEqual(files(), [`${before.id}.tar.gz`])
    const next = await exported(owner)
    assert.deepStrictEqual(files(), [`${next.id}.tar.gz`])
    const expired = refused(await owner.get(`/api/v1/exports/${before.id}/file`), 409, "invalid_state")
    assert.strictEqual(expired["state"], "expired")

    made(await owner.delete("/api/v1/people/%2B14155550123"))
    assert.deepStrictEqual(files(), [])
    assert.strictEqual(made(await owner.get(`/api/v1/exports/${next.id}`)).status, "expired")

    // A process that writes one, and one that has died.
    await query(
      "insert into exports (id, host, has_recordings, progress) select gen_random_uuid(), 'there', true, progress from exports limit 1",
    )
    refused(await owner.post("/api/v1/exports", {}), 409, "invalid_state")
    await query("update exports set seen_at = now() - interval '2 minutes' where status = 'running'")
    const [lost] = made(await owner.get("/api/v1/exports")).items.filter(({ status }) => status === "failed")
    assert.match(String(lost?.reason), /has died/)
    const last = await exported(owner)
    assert.strictEqual(last.status, "completed")
    await query("update exports set expires_at = now() where status = 'completed'")
    assert.strictEqual(made(await owner.get(`/api/v1/exports/${last.id}`)).status, "expired")
  })
})

it.layer(ExportFolder.layer.pipe(Layer.provideMerge(tenancy)), { excludeTestServices: true, timeout: "60 seconds" })(
  "the file of an export",
  (it) => {
    it.effect("is deleted after a day, and with its account", () =>
      Effect.gen(function* () {
        const { fileOf, prepare, sweep } = yield* ExportFolder
        const [kept, gone] = [yield* newAccount("kept"), yield* newAccount("gone")]
        for (const account of [kept, gone]) writeFileSync(yield* prepare(account, "fresh"), "")
        const old = yield* prepare(kept, "old")
        writeFileSync(old, "")
        utimesSync(old, 0, 0)
        yield* Provisioning.use((provisioning) => provisioning.drop("gone"))
        yield* sweep
        const isThere = (account: typeof kept, id: string) => existsSync(fileOf(account, id))
        assert.deepStrictEqual(
          [isThere(kept, "fresh"), isThere(kept, "old"), isThere(gone, "fresh")],
          [true, false, false],
        )
      }),
    )
  },
)

it.live("has the sound of calls that is in a bucket", () =>
  Effect.gen(function* () {
    const store = yield* objectServer
    const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    const url = new URL(inject("postgres"))
    url.pathname = `/${directory}`
    const context = yield* Layer.build(TestServer.layerWith({ DATABASE_URL: url.href, ...store.settings }))
    const server = Context.get(context, TestServer)
    const objects = yield* Layer.build(
      ObjectStore.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(store.settings)))),
    ).pipe(Effect.map(Context.get(ObjectStore)))
    yield* Effect.promise(async () => {
      const owner = await server.ownerOf("acme")
      const all = await everything(owner, "acmemark")
      await until(async () => made(await owner.get(`/api/v1/calls/${all.call.id}`)).ended_at !== null)
      const { id, query } = await openAccount(directory, "acme")
      const sound = Buffer.from("RIFF and so on: sound in the bucket")
      const file = join(folder, "sound.wav")
      writeFileSync(file, sound)
      await Effect.runPromise(objects?.put(id, all.call.id, file) ?? Effect.die("no bucket"))
      await query("insert into recordings (id, call_id, host, stored_at) values ($1, $1, 'there', now())", [
        all.call.id,
      ])
      const done = await exported(owner)
      assert.deepInclude(done.progress, { recordings: 1, recordings_missing: 0 })
      const archive = Buffer.from(await (await download(server.url, owner, done.id)).arrayBuffer())
      assert.isTrue(gunzipSync(archive).includes(sound))
    })
  }).pipe(Effect.scoped),
)
