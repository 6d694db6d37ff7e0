/** Sends requests over the public API, and records request and response for the checker. */
import { toFetchOptions } from "../support/FetchOptions.ts"
import type { Recorder } from "./History.ts"

export interface Answered {
  /** 0 if no process answered. */
  readonly status: number
  readonly body: any
}

/** Milliseconds after which a request is given up. */
const patienceMs = 8_000
/** Milliseconds to wait if no process answered, since an immediate retry would fail too. */
const unansweredPauseMs = 500

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export const send = async (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object | FormData,
): Promise<Answered> => {
  try {
    const response = await fetch(url + path, {
      ...toFetchOptions(method, { connection: "close", ...headers }, body),
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : null }
  } catch {
    return { status: 0, body: null }
  }
}

/** The fields of a response that the checker reads. */
const essence = (body: any): Record<string, any> | null =>
  body === null || body === undefined
    ? null
    : {
        id: body.id,
        status: body.status,
        code: body.code,
        accepted: body.import?.accepted,
        detail: body.detail,
        number: body.to,
        started_at: body.started_at,
      }

/** The number of the next request, unique in the run over all accounts. */
let asked = 0

export class NotedRequests {
  readonly #url: string
  readonly #account: string
  readonly #headers: Record<string, string>
  readonly #recorder: Recorder

  constructor(url: string, account: string, token: string, recorder: Recorder) {
    this.#url = url
    this.#account = account
    this.#headers = { authorization: `Bearer ${token}`, "x-account-id": account }
    this.#recorder = recorder
  }

  /** Sends a request without recording it. */
  send(method: string, path: string, body?: object | FormData): Promise<Answered> {
    return send(this.#url, method, path, this.#headers, body)
  }

  /** Sends a request and records it as the operation `op` on `of`, with the fields in `body`. */
  async note(
    op: string,
    of: string | null,
    body: Record<string, any> | null,
    ask: () => Promise<Answered>,
  ): Promise<Answered> {
    const n = asked++
    this.#recorder.add({ t: "ask", n, account: this.#account, op, of, body, at: Date.now() })
    const answered = await ask()
    const answer = { n, status: answered.status, body: essence(answered.body), at: Date.now() }
    this.#recorder.add({ t: "answer", ...answer })
    if (answered.status === 0) await pause(unansweredPauseMs)
    return answered
  }
}
