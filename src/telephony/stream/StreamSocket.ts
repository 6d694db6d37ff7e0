/**
 * The WebSocket of one media stream. It reads whole messages, bounded in size and number, and writes messages while the
 * carrier takes them. Plain code, called for each message.
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { type RawData, type WebSocket, WebSocketServer } from "ws"
import { frameSamples } from "../../speech/G711.ts"
import type { Dialect, StreamMessage } from "./Dialect.ts"

/** Bytes of one message. Carriers send 20 ms of sound in some 300 bytes. */
const longestMessage = 16 * 1024
/**
 * The most frames of 20 ms in a burst after a pause of either side, and in a second. Any other message counts as a
 * frame.
 */
const allowance = { burst: 1_000, aSecond: 150 }
/** The most bytes that may wait for the carrier: six seconds of sound. */
const mostUntaken = 64 * 1024
/** How long the carrier may take to answer our close, in milliseconds. */
const closeTimeout = 5_000

/** RFC 6455 §7.4.1. */
export const closing = { done: 1000, unsupported: 1003, policy: 1008 } as const

/** The types lack `closeTimeout`. This class sends the pongs, so that it can count the pings. */
const options = { noServer: true, maxPayload: longestMessage, maxFragments: 64, autoPong: false, closeTimeout }
const sockets = new WebSocketServer(options)

export interface StreamListener {
  readonly message: (message: StreamMessage) => void
  /** The socket is closed, by either side. Nothing follows. */
  readonly closed: () => void
}

export class StreamSocket {
  readonly #socket: WebSocket
  readonly #dialect: Dialect
  readonly #now: () => number
  #listener: StreamListener | undefined
  #left: number = allowance.burst
  #countedAt: number
  #isOver = false

  constructor(socket: WebSocket, dialect: Dialect, now: () => number) {
    this.#socket = socket
    this.#dialect = dialect
    this.#now = now
    this.#countedAt = now()
    socket.on("message", (data, isBinary) => this.#take(data, isBinary))
    socket.on("ping", (data) => {
      if (this.#spend(1)) this.#write(() => socket.pong(data))
    })
    socket.on("pong", () => void this.#spend(1))
    socket.on("close", () => {
      this.#isOver = true
      this.#listener?.closed()
    })
  }

  /** Attaches the one listener. Must be called before anything is read. */
  listen(listener: StreamListener): void {
    this.#listener = listener
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#isOver) return void this.#spend(1)
    if (isBinary) return this.close(closing.unsupported, "Send each message as text, in JSON.")
    const message = this.#dialect.read(String(data))
    if (message === null) return this.close(closing.policy, "The message is not one of a media stream.")
    const frames = message._tag === "Sound" ? Math.ceil(message.bytes.length / frameSamples) : 1
    if (this.#spend(frames)) this.#listener?.message(message)
  }

  /** Counts frames. Returns false if there were too many, or if the socket is closed. */
  #spend(frames: number): boolean {
    const now = this.#now()
    const { aSecond, burst } = allowance
    this.#left = Math.min(burst, this.#left + ((now - this.#countedAt) / 1_000) * aSecond) - frames
    this.#countedAt = now
    if (this.#left >= 0) return !this.#isOver
    // A sender that has not answered our close would be read until it does. A paused one is not read.
    if (this.#isOver && !this.#socket.isPaused) this.#socket.terminate()
    this.close(closing.policy, "The stream brought more sound or messages than a call has.")
    return false
  }

  /** Sends a message. Returns false if too many earlier bytes still wait for the carrier. */
  send(text: string): boolean {
    return this.#write(() => this.#socket.send(text))
  }

  #write(act: () => void): boolean {
    if (this.#isOver || this.#socket.readyState !== this.#socket.OPEN) return false
    if (this.#socket.bufferedAmount > mostUntaken) return false
    act()
    return true
  }

  /** Closes the socket and drops everything that arrives later. */
  close(code: number, reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.close(code, reason)
    // Otherwise a flooding sender would be read until it answers the close.
    if (code !== closing.done) this.#socket.pause()
  }
}

/**
 * Accepts the upgrade and waits until the socket is closed. Refuses a request that is not a handshake. Calls `opened`
 * before it reads anything.
 */
export const accept = (request: IncomingMessage, opened: (socket: WebSocket) => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (request.socket.destroyed) return resume(Effect.void)
    request.socket.once("close", () => resume(Effect.void))
    // A client sends nothing before the answer to its handshake (RFC 6455 §4.1), so no frame was read with the head.
    sockets.handleUpgrade(request, request.socket, Buffer.alloc(0), (socket) => {
      // Must come first: an error without a listener ends the process. A close follows each error.
      socket.on("error", () => {})
      opened(socket)
    })
  })
