/**
 * A whole Parley on a free port, as `npm start` runs it, with its own platform database on the run's PostgreSQL, and
 * the HTTP requests of black-box tests.
 */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as App from "../../src/App.ts"
import type { BodyOf, Problem } from "./Contract.ts"
import { testConfigLayer } from "./TestConfig.ts"
import { until } from "./Until.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed body. Text if it is not JSON, undefined if there is none. */
  readonly body: unknown
}

/** The response of a documented operation, a success or a problem. `made` and `refused` check which, and return it. */
export interface AnswerOf<Success> extends Answer {
  readonly body: Fields<Success>
}

/** Every field is optional, since the body may be the other of the two. */
type Fields<Success> = unknown extends Success
  ? Partial<Problem>
  : Success extends object
    ? { readonly [Name in keyof Success | keyof Problem]?: Field<Success, Name> | Field<Problem, Name> }
    : Success extends undefined
      ? Partial<Problem> | undefined
      : Success
type Field<Body, Name> = Name extends keyof Body ? Body[Name] : never

/** Sends a request. The contract determines the type of a success. */
export type Request = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  options?: RequestOptions,
) => Promise<AnswerOf<BodyOf<Method, Path>>>

export interface RequestOptions {
  readonly account?: string | null
  readonly token?: string | null
  readonly headers?: Record<string, string>
  /** Sent as JSON. A string, bytes or a form are sent as they are. */
  readonly body?: unknown
}

/** A client. Every request has its token and account unless an option says otherwise. */
export interface Client {
  readonly token: string
  readonly account: string
  readonly request: Request
  readonly get: <const P extends string>(path: P, options?: RequestOptions) => Promise<AnswerOf<BodyOf<"GET", P>>>
  readonly post: <const P extends string>(
    path: P,
    body?: unknown,
    options?: RequestOptions,
  ) => Promise<AnswerOf<BodyOf<"POST", P>>>
  readonly put: <const P extends string>(
    path: P,
    body: unknown,
    options?: RequestOptions,
  ) => Promise<AnswerOf<BodyOf<"PUT", P>>>
  readonly delete: <const P extends string>(path: P, options?: RequestOptions) => Promise<AnswerOf<BodyOf<"DELETE", P>>>
}

export class TestServer extends Context.Service<
  TestServer,
  {
    readonly url: string
    readonly request: Request
    /** The owner of an account, signed in by the development login. The account is created if it does not exist. */
    readonly ownerOf: (account: string, settings?: object) => Promise<Client>
    /** A platform administrator, signed in by the development login. */
    readonly admin: () => Promise<Client>
  }
>()("test/TestServer") {
  /** `env` adds to the settings of a test server and overrides them. */
  static readonly layerWith = (env: Record<string, string> = {}) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        return speak(HttpServer.formatAddress(address))
      }),
    ).pipe(Layer.provide(App.layer), Layer.provide(testConfigLayer(env)))

  static readonly layer = this.layerWith()
}

/**
 * Options of a layer whose tests run beside each other: each has an account of its own, and waits for most of its time,
 * for calls and for what follows from them.
 */
export const sideBySide = { timeout: "120 seconds", excludeTestServices: true, concurrent: true } as const

/** Declares a test that talks to the server of its layer. */
export const onServer = (test: (server: TestServer["Service"]) => Promise<void>) =>
  Effect.flatMap(TestServer, (server) => Effect.promise(() => test(server)))

export const speak = (url: string): TestServer["Service"] => {
  const request: Request = async (method, path, options = {}) => {
    const { body, headers = {}, account, token } = options
    const isRaw = typeof body === "string" || body instanceof FormData || body instanceof Uint8Array
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        ...(typeof account === "string" ? { "x-account-id": account } : {}),
        ...(typeof token === "string" ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : isJson ? JSON.parse(text) : text,
    }
  }
  const clientOf = (token: string, account: string, fixed: Record<string, string> = {}): Client => {
    const as: Request = (method, path, options = {}) =>
      request(method, path, { token, account, ...options, headers: { ...fixed, ...options.headers } })
    return {
      token,
      account,
      request: as,
      get: (path, options) => as("GET", path, options),
      post: (path, body, options) => as("POST", path, { ...options, body }),
      put: (path, body, options) => as("PUT", path, { ...options, body }),
      delete: (path, options) => as("DELETE", path, options),
    }
  }
  const signIn = async (body: object): Promise<string> => {
    const answer = await request("POST", "/api/login", { body })
    if (answer.status !== 200) throw new Error(`The login answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return String(answer.body.access_token)
  }
  const admin = async () => {
    const token = await signIn({ email: "admin@example.com", admin: true })
    return clientOf(token, "demo", { "x-admin": "true" })
  }
  const ownerOf = async (account: string, settings: object = {}) => {
    const administrator = await admin()
    const form = { slug: account, name: account, ...settings }
    // 503 asks for another try: the database of a busy machine may not take a connection in time.
    const made = await until(async () => {
      const answer = await administrator.post("/api/admin/accounts", form, { account: null })
      return answer.status !== 503 && answer
    })
    if (made.status !== 201 && made.status !== 409) {
      throw new Error(`The account answered ${made.status}: ${JSON.stringify(made.body)}`)
    }
    return clientOf(await signIn({ email: `owner@${account}.example`, account }), account)
  }
  return { url, request, ownerOf, admin }
}
