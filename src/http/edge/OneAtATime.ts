/**
 * A Node server that answers the requests of a connection one after the other, as most servers do. Node's own begins
 * with all that a client has pipelined at once, even if the client has gone: 20 connections that each sent five requests
 * and were closed at once kept all other clients waiting for 7 to 12 s.
 */
import { type IncomingMessage, Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The most requests of a connection that wait. One more, and the connection is closed. */
const waitingMax = 100

/** What Node emits for a request. The second is for a client that waits for `100 Continue`. */
type Arrival = "request" | "checkContinue"
type Exchange = [request: IncomingMessage, response: ServerResponse]
const isArrival = (event: string): event is Arrival => event === "request" || event === "checkContinue"

export class OneAtATime extends Server {
  /** The waiting requests of each connection on which one is being answered. */
  readonly #waiting = new WeakMap<Socket, Array<[Arrival, Exchange]>>()

  // Node's listener for requests is the app's, so they have to wait before they are emitted.
  override emit(event: string, ...args: Array<unknown>): boolean {
    if (!isArrival(event)) return super.emit(event, ...args)
    const exchange = args as Exchange
    const { socket } = exchange[0]
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) this.#begin(event, exchange)
    else if (waiting.push([event, exchange]) > waitingMax) socket.destroy()
    return true
  }

  #begin(event: Arrival, exchange: Exchange): void {
    const [{ socket }, response] = exchange
    if (!this.#waiting.has(socket)) this.#waiting.set(socket, [])
    response.once("close", () => this.#next(socket))
    super.emit(event, ...exchange)
  }

  #next(socket: Socket): void {
    const next = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift()
    if (next === undefined) this.#waiting.delete(socket)
    else this.#begin(...next)
  }
}
