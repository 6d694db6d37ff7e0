/** The Parley under test, as `npm start` runs it, and the HTTP requests that set a benchmark up. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toFetchOptions } from "../../support/FetchOptions.ts"
import * as Child from "./Child.ts"
import type { Postgres } from "./Postgres.ts"

export const platformDatabase = "parley"

/** A client that sends its token and account with every request. */
export interface Client {
  readonly headers: Record<string, string>
  /** Returns the parsed body of a 2xx. Any other status is an error. */
  readonly request: (method: string, path: string, body?: object | FormData) => Promise<any>
}

export interface Parley extends Child.Child {
  readonly clientOf: (token: string, account: string) => Client
  readonly signIn: (body: object) => Promise<string>
  readonly admin: () => Promise<Client>
  /** Creates an account. Returns its owner's client. */
  readonly account: (slug: string, settings?: object) => Promise<Client>
  /** The name of the account's database on the benchmark's PostgreSQL. */
  readonly databaseOf: (slug: string) => Promise<string>
}

/** As in `npm start`: half of V8's default young generation, which a first import would fill (docs/benchmarks.md). */
const asStarted = ["--max-semi-space-size=16"]

/**
 * The encryption key of all processes of a benchmark, since each must be able to read what another has sealed in the
 * same PostgreSQL.
 */
const encryptionKey = randomBytes(32).toString("base64")

export const start = async (
  postgres: Postgres,
  options: { readonly env?: Record<string, string>; readonly node?: ReadonlyArray<string> } = {},
): Promise<Parley> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-data-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const child = await Child.start("src/main.ts", {
    node: [...asStarted, ...(options.node ?? [])],
    env: {
      DATABASE_URL: postgres.urlOf(platformDatabase),
      PARLEY_DATA_DIR: folder,
      PARLEY_ENCRYPTION_KEY: encryptionKey,
      PORT: "0",
      LOG_LEVEL: "Warn",
      // A benchmark sends from one address what thousands of clients would.
      PARLEY_REQUESTS_PER_MINUTE: "1000000000",
      ...options.env,
    },
  })

  const clientOf = (token: string, account: string, fixed: Record<string, string> = {}): Client => {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": account, ...fixed }
    return { headers, request: (method, path, body) => send(child.url, method, path, headers, body) }
  }
  const signIn = async (body: object): Promise<string> =>
    (await send(child.url, "POST", "/api/login", {}, body)).access_token
  const admin = async () =>
    clientOf(await signIn({ email: "admin@example.com", account: "demo", admin: true }), "demo", { "x-admin": "true" })
  const account = async (slug: string, settings: object = {}) => {
    await (await admin()).request("POST", "/api/admin/accounts", { slug, name: slug, ...settings })
    return clientOf(await signIn({ email: "owner@example.com", account: slug }), slug)
  }
  const databaseOf = async (slug: string): Promise<string> => {
    const [found] = await postgres.query(platformDatabase, "select database from accounts where slug = $1", [slug])
    return found.database
  }
  return { ...child, clientOf, signIn, admin, account, databaseOf }
}

const send = async (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object | FormData,
) => {
  const response = await fetch(url + path, toFetchOptions(method, headers, body))
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return text === "" ? undefined : JSON.parse(text)
}
