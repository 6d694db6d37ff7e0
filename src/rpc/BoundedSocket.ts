/**
 * A client's WebSocket. It ends when the client sends many frames that no message limit counts: pings, pongs, and
 * messages after our close. Node reads up to 2 MiB of a busy connection in one tick, and in frames of 6 bytes that
 * holds the event loop for half a second.
 */
import type { ClientRequestArgs } from "node:http"
import { type ClientOptions, WebSocket } from "ws"

/** Keep-alives. A client sends one in some seconds. */
const keepAlives = { burst: 60, aSecond: 2 }
/** A page's sound during `closeTimeout`, and its burst: messages that were sent before our close arrived. */
const mostAfterClose = 1_000

/** Options of every `WebSocketServer` for clients. */
export const options = {
  /** Milliseconds that a client may take to answer our close. The types do not have it yet. */
  closeTimeout: 5_000,
  /** Frames of one message. A frame without content costs as much as any other. */
  maxFragments: 1_024,
}

/** Returns a function that counts one keep-alive. It returns false if there are too many. */
export const makeKeepAlives = () => {
  const { aSecond, burst } = keepAlives
  let left: number = burst
  let countedAt = performance.now()
  return (): boolean => {
    const now = performance.now()
    left = Math.min(burst, left + ((now - countedAt) / 1_000) * aSecond) - 1
    countedAt = now
    return left >= 0
  }
}

export class BoundedSocket extends WebSocket {
  /** A server gives null as the address. */
  constructor(address: string | URL | null, protocols?: unknown, options?: ClientOptions | ClientRequestArgs) {
    super(address as string, protocols as Array<string> | undefined, options)
    const mayKeepAlive = makeKeepAlives()
    const count = () => {
      if (!mayKeepAlive()) this.terminate()
    }
    this.on("ping", count)
    this.on("pong", count)
    let afterClose = 0
    this.on("message", () => {
      if (this.readyState !== this.OPEN && ++afterClose > mostAfterClose) this.terminate()
    })
  }
}
