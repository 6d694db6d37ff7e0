/**
 * The media streams of one call. Each is admitted by its own token, which works once and for a limited time, and then
 * carries the call's sound. Plain code.
 */
import { Latch } from "effect"
import { randomBytes, timingSafeEqual } from "node:crypto"
import { ChunkOrder } from "./ChunkOrder.ts"
import type { Dialect, StreamMessage } from "./Dialect.ts"
import { type Stream, StreamPath } from "./StreamPath.ts"
import { closing, type StreamSocket } from "./StreamSocket.ts"

/** The most sockets at a time that have not shown a token yet. */
const mostUnproved = 4

interface Token {
  readonly secret: Buffer
  readonly expiresAt: number
}

export class ExpectedStream {
  readonly path = new StreamPath()
  /** Open once a stream has redeemed the last token. */
  readonly joined = Latch.makeUnsafe(false)
  readonly #now: () => number
  #token: Token | null = null
  #unproved = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Issues a token, which replaces the previous one. */
  issueToken(validMs: number): string {
    const text = randomBytes(24).toString("base64url")
    this.#token = { secret: Buffer.from(text), expiresAt: this.#now() + validMs }
    this.joined.closeUnsafe()
    return text
  }

  /** No stream is expected any more. */
  withdrawToken(): void {
    this.#token = null
  }

  /** Whether a stream with this token would be admitted now. */
  isGood(text: string): boolean {
    const token = this.#token
    const given = Buffer.from(text)
    if (token === null || this.#now() > token.expiresAt) return false
    return given.length === token.secret.length && timingSafeEqual(given, token.secret)
  }

  #redeem(text: string): boolean {
    const isGood = this.isGood(text)
    if (isGood) this.#token = null
    return isGood
  }

  /** Whether another socket may try. */
  get isOpen(): boolean {
    return this.#token !== null && this.#unproved < mostUnproved
  }

  /**
   * Takes a socket whose handshake came from the carrier. The returned function closes the socket if it has shown no
   * token yet.
   */
  admit(socket: StreamSocket, dialect: Dialect): () => void {
    let stream: Stream | null = null
    const order = new ChunkOrder()
    this.#unproved++
    const prove = () => void this.#unproved--
    const begin = (message: StreamMessage): void => {
      if (message._tag === "Other") return
      if (message._tag !== "Started") return socket.close(closing.policy, "A stream begins with its start message.")
      if (!this.#redeem(message.token)) return socket.close(closing.policy, "The token is unknown, used or expired.")
      prove()
      stream = streamOver(socket, dialect, message.stream)
      this.path.join(stream)
      this.joined.openUnsafe()
    }
    socket.listen({
      message: (message) => {
        if (stream === null) return begin(message)
        if (message._tag === "Sound") {
          for (const sound of order.take(message)) this.path.take(stream, sound)
          return
        }
        if (message._tag !== "Stopped") return this.path.take(stream, message)
        this.path.part(stream, "hung_up")
        socket.close(closing.done, "")
      },
      closed: () => {
        if (stream === null) prove()
        else this.path.part(stream, "lost")
      },
    })
    return () => (stream === null ? socket.close(closing.policy, "The stream did not start in time.") : undefined)
  }
}

const streamOver = (socket: StreamSocket, dialect: Dialect, name: string): Stream => ({
  sound: (payload) => socket.send(dialect.sound(name, payload)),
  mark: (mark) => void socket.send(dialect.mark(name, mark)),
  clear: () => void socket.send(dialect.clear(name)),
  close: () => socket.close(closing.done, ""),
})
