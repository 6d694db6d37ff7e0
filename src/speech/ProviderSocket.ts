/** A WebSocket to a provider of speech. Closing the scope closes it, in bounded time. */
import { Data, Effect, Schema, type Scope } from "effect"
import { WebSocket } from "ws"

/** The connection was not made, or is over. `status`: what the server answered instead of opening it. */
export class SocketFailed extends Data.TaggedError("SocketFailed")<{
  readonly reason: string
  readonly status?: number
}> {}

const protocols: ReadonlySet<string> = new Set(["wss:", "ws:", "https:", "http:"])

/** A provider's address as a setting. A URL of another kind would end each call, so it ends the start. */
export const SocketUrl = Schema.URLFromString.check(
  Schema.makeFilter(({ protocol }) => protocols.has(protocol) || `must be a wss or ws URL, not ${protocol}`),
)

interface Options {
  readonly headers: Readonly<Record<string, string>>
  /** The longest handshake, in milliseconds. */
  readonly withinMs: number
  /** A message with more bytes ends the connection. */
  readonly largestMessageBytes: number
}

export const open = (
  address: URL,
  { headers, largestMessageBytes, withinMs }: Options,
): Effect.Effect<WebSocket, SocketFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<WebSocket, SocketFailed>((resume) => {
      const socket = new WebSocket(address, {
        headers,
        handshakeTimeout: withinMs,
        maxPayload: largestMessageBytes,
        perMessageDeflate: false,
      })
      const fail = (reason: string, status?: number) =>
        resume(Effect.fail(new SocketFailed({ reason, ...(status === undefined ? {} : { status }) })))
      socket.on("open", () => resume(Effect.succeed(socket)))
      socket.on("unexpected-response", (request, { statusCode = 0 }) => {
        request.destroy()
        fail(`the server answered ${statusCode}`, statusCode)
      })
      // The message may contain the address or the key, so only the error's name is kept.
      socket.on("error", (error) => fail(error.name))
      return Effect.sync(() => socket.terminate())
    }),
    (socket) =>
      Effect.sync(() => {
        socket.removeAllListeners("message")
        // A socket with unsent data may be stuck, and would not take a closing handshake either; `ws` bounds the others.
        if (socket.bufferedAmount > 0) socket.terminate()
        else socket.close()
      }),
    { interruptible: true },
  )

/** Fails when the connection is over. */
export const closed = (socket: WebSocket): Effect.Effect<never, SocketFailed> =>
  Effect.callback((resume) => {
    const fail = (reason: string) => resume(Effect.fail(new SocketFailed({ reason })))
    if (socket.readyState !== WebSocket.OPEN) return fail("the connection closed")
    socket.on("close", (code) => fail(`the connection closed with ${code}`))
  })
