/** The connection of a page with sockets of which the test is the other end. */
import { assert } from "@effect/vitest"
import { afterEach, beforeEach, vi } from "vitest"
import { Connection, type Session, type Talk } from "../../apps/widget/Connection.ts"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"

/** A socket of which the test is the other end. */
class Socket extends EventTarget {
  readyState = 0
  bufferedAmount = 0
  frames = 0
  readonly sent: Array<any> = []
  send(data: string | Uint8Array) {
    if (typeof data === "string") this.sent.push(JSON.parse(data))
    else this.frames++
  }
  close() {
    this.readyState = 3
  }
  accept(resume = "secret", resumed = false) {
    this.readyState = 1
    this.dispatchEvent(new Event("open"))
    this.say({ type: "ready", conversation: "c", resume, resumed, features: { voice: false } })
  }
  say(message: FromServer) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }))
  }
  drop(code = 1006) {
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event("close"), { code }))
  }
}

/** A connection with the sockets that it opens, what its player was given, and the talk as the page has it. */
export const staged = (
  sessions: () => Promise<Session> = async () => ({ session_token: `t${++count}`, expires_in: 300, ws_url: "ws://x" }),
) => {
  const sockets: Array<Socket> = []
  let talk: Talk | undefined
  const played: Array<number | string> = []
  const connection = new Connection({
    session: sessions,
    open: () => {
      const socket = new Socket()
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
    changed: (now) => void (talk = now),
    sounded: (frame) => played.push(frame.byteLength),
    ordered: (what, frame) => played.push(`${what} ${frame}`),
  })
  const last = () => sockets.at(-1) ?? assert.fail("no socket")
  return { connection, sockets, last, played, talk: () => talk ?? connection.talk }
}
let count = 0

/** Call it in a `describe`: its tests move the clock, and begin with the token `t1`. */
export const withFakeTime = () => {
  beforeEach(() => {
    count = 0
    vi.useFakeTimers()
  })
  afterEach(() => void vi.useRealTimers())
}

/** What was promised happens, and no time passes. */
export const settle = () => vi.advanceTimersByTimeAsync(0)

/** The lines of a talk as texts. */
export const said = (talk: Talk) => talk.lines.map(({ by, line, text }) => `${line} ${by}: ${text}`)
