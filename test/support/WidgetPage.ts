/**
 * A customer's page with the widget, reduced to its socket. It says what a test tells it to, and keeps what it hears.
 */
import { once } from "node:events"
import { WebSocket } from "ws"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"
import { made } from "./Fixtures.ts"
import type { Client, TestServer } from "./TestServer.ts"

export const home = "https://www.example.com"

type Message<T extends FromServer["type"]> = Extract<FromServer, { type: T }>

export interface Page {
  readonly heard: ReadonlyArray<FromServer>
  /** The next message of this type that was not returned yet. */
  readonly next: <T extends FromServer["type"]>(type: T) => Promise<Message<T>>
  readonly send: (message: object | string | Uint8Array) => void
  readonly write: (text: string, id?: string) => void
  /** The code with which the socket was closed. */
  readonly closed: Promise<number>
  /** Disappears without closing the socket, as a page whose network is lost. */
  readonly vanish: () => void
  readonly close: () => void
}

export interface Place {
  readonly origin?: string
  readonly hello?: object | null
  /** Called with the socket before anything is sent over it. */
  readonly opened?: (socket: WebSocket) => void
}

/** Creates a public key for pages of `home`. */
export const keyOf = async (owner: Client, agent_id: string, more: object = {}): Promise<string> =>
  made(await owner.post("/api/v1/widget-keys", { name: "page", kind: "public", agent_id, origins: [home], ...more }))
    .key

export const sessionOf = async (server: Pick<TestServer["Service"], "request">, key: string) =>
  made(await server.request("POST", "/api/v1/widget/auth/session", { body: { key }, headers: { origin: home } }))

/** Connects, and says hello with the session's token unless `hello` says otherwise. */
export const visit = async (session: { ws_url: string; session_token: string }, place: Place = {}): Promise<Page> => {
  const { hello = {}, origin = home } = place
  const socket = new WebSocket(session.ws_url, origin === "" ? {} : { origin })
  const heard: Array<FromServer> = []
  const given = new Set<FromServer>()
  const waiting = new Set<() => void>()
  const closed = new Promise<number>((resolve) => socket.on("close", resolve))
  socket.on("message", (data, isBinary) => {
    if (isBinary) return
    heard.push(JSON.parse(String(data)))
    for (const check of waiting) check()
  })
  socket.on("error", () => undefined)
  await once(socket, "open")
  place.opened?.(socket)
  const send: Page["send"] = (message) =>
    socket.send(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message))
  if (hello !== null) send({ type: "hello", token: session.session_token, ...hello })
  const next = <T extends FromServer["type"]>(type: T) =>
    new Promise<Message<T>>((resolve, reject) => {
      const check = () => {
        const found = heard.find((message): message is Message<T> => message.type === type && !given.has(message))
        if (found === undefined) return
        given.add(found)
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
      void closed.then(() => {
        check()
        reject(new Error(`It was closed before a ${type}: ${JSON.stringify(heard)}`))
      })
    })
  return {
    heard,
    next,
    send,
    write: (text, id = crypto.randomUUID()) => send({ type: "text", id, text }),
    closed,
    vanish: () => socket.terminate(),
    close: () => socket.close(),
  }
}
