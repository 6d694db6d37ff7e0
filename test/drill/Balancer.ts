/**
 * A balancer as docs/deployment.md asks for: it polls `/readyz`, sends all requests of an account to one process, and
 * passes a request that was not begun (no connection, or a 503 `draining`) to another process.
 */
import { toFetchOptions } from "../support/FetchOptions.ts"

const askEveryMs = 250

export interface Answer {
  readonly status: number
  readonly body: any
  readonly ms: number
}

export interface Balancer {
  /** Sends a request. The status is 0 if no process answered. */
  readonly send: (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object | FormData,
  ) => Promise<Answer>
  /** The URLs of the processes that are ready. */
  readonly ready: () => ReadonlyArray<string>
  readonly stop: () => void
}

/** Starts a balancer. `urls` returns the running processes. */
export const start = (urls: () => ReadonlyArray<string>): Balancer => {
  let ready: ReadonlyArray<string> = []
  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  const ask = async () => {
    const asked = await Promise.all(urls().map(async (url) => ((await isReady(url)) ? [url] : [])))
    ready = asked.flat()
  }
  const asking = setInterval(() => void ask(), askEveryMs)

  const sendTo = async (url: string, method: string, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(url + path, toFetchOptions(method, headers, body))
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text }
  }

  return {
    send: async (method, path, headers, body) => {
      const began = performance.now()
      let answer = { status: 0, body: undefined as any }
      const all = [...ready]
      const first = hash(headers["x-account-id"] ?? "")
      for (const at of all.keys()) {
        const url = all[(first + at) % all.length] ?? ""
        try {
          answer = await sendTo(url, method, path, headers, body)
          if (answer.status !== 503 || answer.body.code !== "draining") break
        } catch (error) {
          // A request that may have begun is not retried: the client gets the failure.
          const code = (error as { cause?: { code?: string } }).cause?.code
          answer = { status: 0, body: String((error as { cause?: unknown }).cause ?? error) }
          if (code !== "ECONNREFUSED") break
        }
      }
      return { ...answer, ms: performance.now() - began }
    },
    ready: () => ready,
    stop: () => clearInterval(asking),
  }
}

/** Spreads accounts over the processes. */
const hash = (text: string): number =>
  [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 7)
