/** The Parley under test, as `npm start` runs it, and the few words of HTTP with which a bench sets it up. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toFetchOptions } from "../../support/FetchOptions.ts"
import * as Child from "./Child.ts"
import type { Postgres } from "./Postgres.ts"

export const platformDatabase = "parley"

/** A client with the token and account of every request. */
export interface Client {
  readonly headers: Record<string, string>
  /** The parsed body of a 2xx; anything else is an error. */
  readonly request: (method: string, path: string, body?: object | FormData) => Promise<any>
}

export interface Parley extends Child.Child {
  readonly clientOf: (token: string, account: string) => Client
  readonly signIn: (body: object) => Promise<string>
  readonly admin: () => Promise<Client>
  /** A new account and its owner's client. */
  readonly account: (slug: string, settings?: object) => Promise<Client>
  /** The account's own database on the bench's PostgreSQL. */
  readonly databaseOf: (slug: string) => Promise<string>
}

/** As in `npm start`: half of V8's own young generation, which a first import would fill (docs/benchmarks.md). */
const asStarted = ["--max-semi-space-size=16"]

/**
 * The key of all processes of a bench: a second one must be able to read what the first one sealed in the same
 * PostgreSQL.
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
      // A bench is one caller that sends what thousands would.
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
