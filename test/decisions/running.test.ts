import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { kill } from "node:process"
import { afterAll, inject } from "vitest"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { until } from "../support/Until.ts"

const started: Array<Process> = []
const run = (env: Record<string, string>) => {
  const process = start(env)
  started.push(process)
  return process
}
afterAll(async () => {
  for (const { child } of started) child.kill("SIGKILL")
})

const key = Buffer.alloc(32, 7).toString("base64")
const production = {
  PARLEY_ENV: "production",
  OIDC_ISSUER: "https://id.example.com",
  OIDC_AUDIENCE: "parley",
  PARLEY_ENCRYPTION_KEY: key,
}
const anyDatabase = new URL(inject("postgres"))
anyDatabase.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
/** A database of the run, for what is refused only after the database is open: a server of its own takes seconds. */
const onDatabase = { DATABASE_URL: anyDatabase.href, PARLEY_ENCRYPTION_KEY: key, DATABASE_MAX_CONNECTIONS: "8" }

/** All processes on the first data folder, which the tests leave to each other. */
const folder = emptyFolder()
let last: Process | undefined
/** The process that runs on the folder, started if there is none. */
const running = async () => {
  if (last === undefined || last.child.killed) {
    await last?.ended
    last = run({ PARLEY_DATA_DIR: folder })
  }
  return { process: last, url: await last.ready }
}

describe("the server (decisions §6)", () => {
  it("is ready when it says so and /readyz answers 200, keeps its data, and exits with 0 on SIGTERM", async () => {
    const login = { method: "POST", headers: { "content-type": "application/json" } }
    const { process: first, url } = await running()
    assert.strictEqual((await fetch(`${url}/readyz`)).status, 200)
    assert.strictEqual((await fetch(`${url}/healthz`)).status, 200)
    const body = JSON.stringify({ email: "dev@example.com", account: "demo" })
    const { access_token } = await (await fetch(`${url}/api/login`, { ...login, body })).json()
    const name = `kept-${crypto.randomUUID().slice(0, 8)}`
    const made = await fetch(`${url}/api/faqs`, {
      method: "POST",
      headers: { ...login.headers, "x-account-id": "demo", authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ name, question: "Is it kept?", answer: "Yes." }),
    })
    assert.strictEqual(made.status, 201)
    first.child.kill("SIGTERM")
    assert.strictEqual(await first.ended, 0)

    const { url: again } = await running()
    const signedIn = await (await fetch(`${again}/api/login`, { ...login, body })).json()
    const found = await fetch(`${again}/api/faqs/${name}`, {
      headers: { "x-account-id": "demo", authorization: `Bearer ${signedIn.access_token}` },
    })
    assert.strictEqual(found.status, 200)
  })

  it("a second process on the same data folder is told so clearly; after a kill the folder is free again", async () => {
    const { process: first } = await running()
    const second = run({ PARLEY_DATA_DIR: folder })
    assert.strictEqual(await second.ended, 1)
    assert.include(second.said(), `another Parley (process ${first.child.pid}) is running on it`)

    first.child.kill("SIGKILL")
    const { process: third } = await running()
    assert.notStrictEqual(third.child.pid, first.child.pid)
    third.child.kill("SIGTERM")
    assert.strictEqual(await third.ended, 0)
  })

  it("answers 503 with Retry-After while its database is away, not 500", async () => {
    const { process, url } = await running()
    const headers = { "content-type": "application/json", "x-account-id": "demo" }
    const body = JSON.stringify({ email: "dev@example.com", account: "demo" })
    const { access_token } = await (await fetch(`${url}/api/login`, { method: "POST", headers, body })).json()
    const ask = () => fetch(`${url}/api/faqs`, { headers: { ...headers, authorization: `Bearer ${access_token}` } })
    assert.strictEqual((await ask()).status, 200)
    const [postmaster = ""] = readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n", 1)
    kill(Number(postmaster), "SIGQUIT")
    const answer = await until(async () => {
      const answer = await ask()
      return answer.status !== 200 && answer
    })
    assert.strictEqual(answer.status, 503)
    assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
    assert.strictEqual((await answer.json()).code, "unavailable")
    const unready = await fetch(`${url}/readyz`)
    assert.strictEqual(unready.status, 503)
    const { checks, code } = await unready.json()
    assert.strictEqual(code, "unavailable")
    assert.match(
      checks.database,
      /^(?:the connection failed|no answer within 2 seconds|the server refused with SQLSTATE)/,
    )
    process.child.kill("SIGKILL")
    await process.ended
  })
})

describe.concurrent("a server that cannot start (decisions §6)", () => {
  it.each([
    ["development refuses to listen beyond loopback", { HOST: "0.0.0.0", ...onDatabase }, "only on loopback"],
    [
      "production refuses to start without PARLEY_ENCRYPTION_KEY",
      { PARLEY_ENV: "production", OIDC_ISSUER: "https://id.example.com", OIDC_AUDIENCE: "parley" },
      "PARLEY_ENCRYPTION_KEY",
    ],
    [
      "production refuses to start without OIDC_ISSUER",
      { PARLEY_ENV: "production", OIDC_AUDIENCE: "parley", PARLEY_ENCRYPTION_KEY: key },
      "OIDC_ISSUER",
    ],
    [
      "production refuses to start without OIDC_AUDIENCE",
      { PARLEY_ENV: "production", OIDC_ISSUER: "https://id.example.com", PARLEY_ENCRYPTION_KEY: key },
      "OIDC_AUDIENCE",
    ],
    [
      "an OIDC issuer over plain http beyond loopback is refused",
      { OIDC_ISSUER: "http://id.example.com", OIDC_AUDIENCE: "parley", ...onDatabase },
      "http",
    ],
    ["a key that is no 32 bytes is refused", { PARLEY_ENCRYPTION_KEY: "c2hvcnQ=" }, "32 bytes"],
    ["an environment that is neither is refused", { PARLEY_ENV: "staging" }, "PARLEY_ENV"],
    ["a database server that is not there is named", { DATABASE_URL: "postgres://x:y@127.0.0.1:1/x" }, "127.0.0.1:1"],
    [
      "a host of another machine is refused",
      { HOST: "203.0.113.7", ...production, ...onDatabase },
      "no address of this machine",
    ],
  ] as const)("%s", async (_, env, sentence) => {
    const refused = run({ PARLEY_DATA_DIR: emptyFolder(), ...env })
    assert.strictEqual(await refused.ended, 1)
    assert.include(refused.said(), "Parley cannot go on.")
    assert.include(refused.said(), sentence)
  })

  it("a port that another program has is named", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const refused = run({ PARLEY_DATA_DIR: emptyFolder(), PORT: String(port), ...onDatabase })
    assert.strictEqual(await refused.ended, 1)
    assert.include(refused.said(), `Parley cannot go on. Another program listens on 127.0.0.1:${port}.`)
    other.close()
  })
})
