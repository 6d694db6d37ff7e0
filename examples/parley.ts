/**
 * A client of Parley's REST API in one page: fetch, the headers of every request, and errors that say what went wrong.
 */

/** The format of every error (RFC 9457). `code` is stable. `errors` points to the fields. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly request_id?: string
  readonly errors?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
}

/** The format of every list. `page` counts from 0. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly page: number
  readonly page_size: number
  readonly total: number
}

export class ParleyError extends Error {
  readonly problem: Problem

  constructor(request: string, problem: Problem) {
    const fields = (problem.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer} ${detail}`).join("")
    super(`${request} answered ${problem.status} ${problem.code}: ${problem.detail ?? problem.title}${fields}`)
    this.name = "ParleyError"
    this.problem = problem
  }
}

export class Parley {
  readonly url: string
  readonly #headers: Record<string, string>

  /** `token` is an OIDC ID token or an API key (`pak_…`); `account` is the slug that chooses the tenant's database. */
  constructor(url: string, token: string, account?: string) {
    this.url = url
    this.#headers = {
      authorization: `Bearer ${token}`,
      // The account, for work in a tenant. Without one, the request is an administrator's, for the platform itself.
      ...(account === undefined ? { "x-admin": "true" } : { "x-account-id": account }),
    }
  }

  get<T>(path: string): Promise<T> {
    return this.#json("GET", path)
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.#json("POST", path, body)
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.#json("PUT", path, body)
  }

  /** For bodies that are not JSON: uploads, and files and streams in responses. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value)
    const response = await fetch(this.url + path, { ...init, headers })
    if (!response.ok) throw new ParleyError(`${init.method ?? "GET"} ${path}`, await problemOf(response))
    return response
  }

  async #json<T>(method: string, path: string, body?: object): Promise<T> {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
    const response = await this.fetch(path, { method, ...init })
    return (await response.json()) as T
  }
}

/** Signs in on a development server. In production the token comes from your identity provider, or is an API key. */
export const login = async (url: string, who: { email: string; account: string } | { email: string; admin: true }) => {
  const path = "/api/login"
  const headers = { "content-type": "application/json" }
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(who) })
  if (!response.ok) throw new ParleyError(`POST ${path}`, await problemOf(response))
  const { access_token } = (await response.json()) as { access_token: string }
  return new Parley(url, access_token, "account" in who ? who.account : undefined)
}

/** A proxy in between may respond with something other than a problem. */
const problemOf = async (response: Response): Promise<Problem> => {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json")
  if (isProblem) return (await response.json()) as Problem
  return { status: response.status, code: "not_parley", title: response.statusText, detail: await response.text() }
}
