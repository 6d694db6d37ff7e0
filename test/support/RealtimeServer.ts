/** Stands in for OpenAI's Realtime API: its protocol on a WebSocket, with its refusals, and with faults. */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import { type Item, RealtimeConversation } from "./RealtimeConversation.ts"

/** What the model answers: words, calls of tools, or both. */
export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly args: string }>
}

interface Said {
  readonly text: string
  readonly hz: number
  readonly ms: number
  /** A fixed sentence, beside the conversation. */
  readonly isAloud: boolean
}

/**
 * Of a connection: `refused` with 401; `bad key`, told in an event; `silent`, its settings are never accepted; `garbage`, it
 * sends anything but events.
 */
type ConnectionFault = "refused" | "bad key" | "silent" | "garbage"
/**
 * Of a response: it never begins, stalls, breaks the connection, fails, or is garbage; `after` so many milliseconds of its
 * sound, else before any.
 */
interface ResponseFault {
  readonly kind: "mute" | "stall" | "cut" | "fail" | "garbage"
  readonly after?: number
}

/** What a test decides of the model, and what it did. */
export class RealtimeStage {
  readonly faults: { readonly connection: Array<ConnectionFault>; readonly response: Array<ResponseFault> } = {
    connection: [],
    response: [],
  }
  readonly said: Array<Said> = []
  readonly conversations: Array<RealtimeConversation> = []
  answer: (items: ReadonlyArray<Item>) => Answer = () => ({ text: "I see." })
  /** What the model says in place of a fixed sentence. */
  reads = (text: string): string => text
  /** Whether it writes the caller's words down. */
  isTranscribing = true

  reset(): void {
    for (const list of [this.faults.connection, this.faults.response, this.said, this.conversations]) list.length = 0
    this.answer = () => ({ text: "I see." })
    this.reads = (text) => text
    this.isTranscribing = true
  }
}

export const realtimeServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const stage = new RealtimeStage()
    const http = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    http.on("upgrade", (request, stream, head) => {
      const url = new URL(request.url ?? "", "http://localhost")
      const fault = stage.faults.connection.shift()
      if (fault === "refused" || url.pathname !== "/v1/realtime") {
        return void stream.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
      }
      sockets.handleUpgrade(request, stream, head, (socket) => {
        const { authorization } = request.headers
        const conversation = new RealtimeConversation(socket, stage, url.searchParams.get("model"), authorization)
        stage.conversations.push(conversation)
        if (fault === "bad key") {
          const error = { type: "invalid_request_error", code: "invalid_api_key" }
          socket.send(JSON.stringify({ type: "error", error }))
          return socket.close(3_000)
        }
        if (fault === "garbage") for (const text of ["{", "[]", "null", "<html>"]) socket.send(text)
        if (fault === undefined) conversation.begin()
      })
    })
    http.listen(0, "127.0.0.1")
    await once(http, "listening")
    const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/v1/realtime`
    /** Ends every session as the server does after an hour. */
    const expire = () => {
      for (const socket of sockets.clients) {
        const error = { type: "invalid_request_error", code: "session_expired" }
        socket.send(JSON.stringify({ type: "error", error }))
        socket.close(1_001)
      }
    }
    return { http, sockets, url, stage, expire }
  }),
  ({ http, sockets }) =>
    Effect.sync(() => {
      for (const socket of sockets.clients) socket.terminate()
      http.close()
      http.closeAllConnections()
    }),
)

export type RealtimeStandIn = Effect.Success<typeof realtimeServer>

/** Settings of a server whose agents may have a voice model. */
export const realtimeSettings = ({ url }: Pick<RealtimeStandIn, "url">) => ({
  OPENAI_API_KEY: "sk-test",
  OPENAI_REALTIME_URL: url,
  DRAIN_SECONDS: "1",
})
