/**
 * Opens a WebSocket to the Realtime API and applies the session's settings. Closing the scope closes it, in bounded
 * time.
 */
import { Data, Effect, type Schema, type Scope } from "effect"
import { type RawData, WebSocket } from "ws"
import * as ProviderSocket from "../ProviderSocket.ts"
import { type Fault, readEvent, type ServerEvent } from "./ServerEvents.ts"

/** Milliseconds from the first packet until the session has its settings. A caller waits on the line. */
const readyWithinMs = 3_000
/** `session.updated` repeats the instructions and the tools; a delta of sound is far smaller. */
const largestMessageBytes = 2 * 1_024 * 1_024
/** With this many unsent bytes the connection is stuck: more than a minute of sound. */
const mostUnsentBytes = 4 * 1_024 * 1_024

/** `isRefused`: another attempt would fail as well, because of the key, the model or the settings. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly reason: string
  readonly isRefused: boolean
}> {}

const lost = (reason: string, isRefused = false) => Effect.fail(new ConnectionLost({ reason, isRefused }))

export interface Connection {
  readonly send: (event: Schema.JsonObject) => void
  /** Passes every event from now on to the listener, as soon as it arrives. */
  readonly listen: (listener: (event: ServerEvent) => void) => void
  /** Whether more data waits to be sent than on any working connection. */
  readonly isStuck: () => boolean
  readonly closed: Effect.Effect<never, ConnectionLost>
}

/** Statuses of a wrong key, an unknown model, or a URL that does not speak this protocol. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404])

/** The code of a fault, for the log: its message may quote the key. */
export const nameOf = ({ code, type }: Fault): string => code ?? type ?? "unknown"

export const open = Effect.fnUntraced(function* (
  address: URL,
  headers: Readonly<Record<string, string>>,
  settings: Schema.JsonObject,
): Effect.fn.Return<Connection, ConnectionLost, Scope.Scope> {
  const socket = yield* ProviderSocket.open(address, { headers, withinMs: readyWithinMs, largestMessageBytes }).pipe(
    Effect.catchTag("SocketFailed", ({ reason, status = 0 }) => lost(reason, refusals.has(status))),
  )
  const send = (event: Schema.JsonObject) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event))
  }
  yield* configure(socket, () => send({ type: "session.update", session: settings })).pipe(
    Effect.timeoutOrElse({ duration: readyWithinMs, orElse: () => lost("the session was not ready in time") }),
  )
  return {
    send,
    listen: (listener) =>
      socket.on("message", (data: RawData, isBinary: boolean) => {
        const event = isBinary ? null : readEvent(String(data))
        if (event !== null) listener(event)
      }),
    isStuck: () => socket.bufferedAmount > mostUnsentBytes,
    closed: Effect.catchTag(ProviderSocket.closed(socket), "SocketFailed", ({ reason }) => lost(reason)),
  }
})

const isRefusal = ({ code, type }: Fault): boolean => type === "invalid_request_error" || code === "invalid_api_key"

/**
 * Sends the settings and waits until the server accepts them. An error before that concerns the settings or the key.
 */
const configure = (socket: WebSocket, send: () => void) =>
  Effect.callback<void, ConnectionLost>((resume) => {
    const hear = (data: RawData, isBinary: boolean) => {
      const event = isBinary ? null : readEvent(String(data))
      if (event?.type === "session.updated") resume(Effect.void)
      if (event?.type === "error") resume(lost(nameOf(event.error), isRefusal(event.error)))
    }
    socket.on("message", hear)
    socket.on("close", (code) => resume(lost(`the connection closed with ${code}`)))
    send()
    return Effect.sync(() => void socket.off("message", hear))
  })
