/** The log of whole processes: production says everything as JSON, and the access log tells no path. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { once } from "node:events"
import { inject } from "vitest"
import { openAccount } from "../support/AccountTables.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const databaseUrl = () => {
  const url = new URL(inject("postgres"))
  url.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return url.href
}

const production = () => ({
  PARLEY_ENV: "production",
  OIDC_ISSUER: "https://id.example.com",
  OIDC_AUDIENCE: "parley",
  PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  PARLEY_DATA_DIR: emptyFolder(),
  DATABASE_MAX_CONNECTIONS: "8",
})

/** Every line, parsed; fails at the first that is no object with a time, a level and a message. */
const linesOf = (process: Process): ReadonlyArray<any> =>
  process
    .said()
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => {
      const line = JSON.parse(text)
      assert.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, text)
      assert.include(["debug", "info", "warn", "error", "fatal"], line.level, text)
      assert.isString(line.message, text)
      return line
    })

const messages = (process: Process) => linesOf(process).map(({ message }) => message)

describe("in production", () => {
  it.live("every line is JSON, from the start over requests to the stop", () =>
    Effect.promise(async () => {
      const parley = start({ ...production(), DATABASE_URL: databaseUrl() })
      const url = await parley.ready
      const { request } = speak(url)
      const own = { headers: { "x-request-id": "client-id-1" } }
      assert.strictEqual((await request("GET", "/healthz")).status, 200)
      assert.strictEqual((await request("DELETE", "/api/v1/suppressions/+14155550199", own)).status, 400)
      assert.strictEqual((await request("GET", "/api/+14155550198")).status, 404)
      const refused = connect(Number(new URL(url).port), "127.0.0.1")
      refused.end("NONSENSE\r\n\r\n")
      await once(refused.resume(), "close")
      const accessOf = () => linesOf(parley).filter(({ request_id }) => request_id !== undefined)
      await until(async () => accessOf().length >= 3)
      const [known, unknown, unread] = accessOf()
      const { ms, time, bytes, ...line } = known
      assert.isAbove(ms, 0)
      assert.isAbove(bytes, 100)
      assert.isString(time)
      assert.deepStrictEqual(line, {
        level: "info",
        message: "request",
        request_id: "client-id-1",
        method: "DELETE",
        route: "/api/v1/suppressions/{phone_number}",
        status: 400,
        address: "127.0.0.1",
      })
      assert.deepStrictEqual([unknown.route, unknown.status], ["none", 404])
      assert.deepStrictEqual([unread.message, unread.status], ["request refused unread", 400])
      parley.child.kill("SIGTERM")
      assert.strictEqual(await parley.ended, 0)
      assert.match(messages(parley).join("\n"), /Parley is ready at http.*Parley has stopped$/s)
      assert.notInclude(parley.said(), "1415")
    }),
  )
  it.live("a setting that is missing, and a port that is taken, are fatal lines", () =>
    Effect.promise(async () => {
      const { OIDC_ISSUER, ...incomplete } = production()
      assert.isString(OIDC_ISSUER)
      const other = createServer().listen(0, "127.0.0.1")
      await once(other, "listening")
      const { port } = other.address() as AddressInfo
      const both = [
        start({ ...incomplete, DATABASE_URL: databaseUrl() }),
        start({ ...production(), DATABASE_URL: databaseUrl(), PORT: String(port) }),
      ]
      assert.deepStrictEqual(await Promise.all(both.map(({ ended }) => ended)), [1, 1])
      other.close()
      const [missing = [], taken = []] = both.map((process) =>
        linesOf(process).filter(({ level }) => level === "fatal"),
      )
      assert.match(missing[0].message, /^Parley cannot go on\. .*OIDC_ISSUER/s)
      assert.match(taken[0].message, /^Parley cannot go on\. Another program listens on 127\.0\.0\.1/)
    }),
  )
})

describe("a crash in production", () => {
  const crashing = `
    import { Effect } from "effect"
    import { logCrashes } from "./src/telemetry/Crash.ts"
    Effect.runSync(logCrashes)
    process.emitWarning("this will change")
    setTimeout(() => Promise.reject(new Error("a lost promise")), 10)`

  it.live("outside of all fibers is a fatal line, a warning of Node is a line, and the process exits with 1", () =>
    Effect.promise(async () => {
      const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", crashing], {
        encoding: "utf8",
      })
      assert.deepStrictEqual([status, stderr], [1, ""])
      const [warning, fatal] = stdout
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text))
      assert.deepInclude(warning, { level: "warn", annotations: { warning: "Warning: this will change" } })
      assert.deepInclude(fatal, { level: "fatal", message: "Parley has crashed" })
      assert.match(fatal.cause, /^Error: a lost promise\n/)
    }),
  )
})

describe("PARLEY_ACCESS_LOG in development", () => {
  const database = databaseUrl()
  const erased = "14155550132"
  let parley: Process
  let url: string
  beforeAll(async () => {
    parley = start({
      DATABASE_URL: database,
      PARLEY_DATA_DIR: emptyFolder(),
      DATABASE_MAX_CONNECTIONS: "8",
      PARLEY_ACCESS_LOG: "all",
      DRAIN_SECONDS: "0",
    })
    url = await parley.ready
  })
  afterAll(async () => {
    parley.child.kill("SIGTERM")
    assert.strictEqual(await parley.ended, 0)
    assert.notInclude(parley.said(), erased)
  })

  it.live("names the account that was opened, and keeps probes and sockets with `all`", () =>
    Effect.promise(async () => {
      const lines = () =>
        parley
          .said()
          .split("\n")
          .filter((text) => text.startsWith('{"time"'))
          .map((text) => JSON.parse(text))
      const owner = await speak(url).ownerOf("acme")
      await owner.get("/api/agents")
      await owner.get("/healthz" as "/api/agents", { account: null, token: null })
      const socket = new WebSocket(`${url.replace("http", "ws")}/trpc-ws`)
      await once(socket, "open")
      socket.close()
      const find = (route: string) => until(async () => lines().find((line) => line.route === route))
      assert.deepInclude(await find("/api/agents"), { account: "acme", status: 200, method: "GET" })
      assert.deepInclude(await find("/healthz"), { status: 200 })
      assert.deepInclude(await find("/trpc-ws"), { status: 101 })
    }),
  )
  it.live("a line about a request that failed tells no number from its path", () =>
    Effect.promise(async () => {
      const slug = `own-${crypto.randomUUID().slice(0, 8)}`
      const owner = await speak(url).ownerOf(slug)
      const account = await openAccount(new URL(database).pathname.slice(1), slug)
      await account.query("alter table suppressions rename to elsewhere")
      const { status } = await owner.request("DELETE", `/api/v1/people/%2B${erased}`)
      await account.close()
      assert.strictEqual(status, 500)
      await until(async () => parley.said().includes("/api/v1/people/{phone_number}"))
      assert.notInclude(parley.said(), erased)
    }),
  )
})
