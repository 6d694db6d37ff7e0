/** Stands in for OpenAI's Realtime API: its protocol over a WebSocket, its refusals, and faults on demand. */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import { type Item, RealtimeConversation } from "./RealtimeConversation.ts"

/** The model's answer: text, tool calls, or both. */
export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly args: string }>
}

interface Said {
  readonly text: string
  readonly hz: number
  readonly ms: number
  /** True for a fixed sentence that is spoken outside of the conversation. */
  readonly isAloud: boolean
}

/**
 * The fault of a connection. `refused`: 401. `bad key`: an error event. `silent`: it never accepts settings. `garbage`:
 * it sends malformed events.
 */
type ConnectionFault = "refused" | "bad key" | "silent" | "garbage"
/**
 * The fault of a response: it never begins (`mute`), stalls, cuts the connection, fails, or sends garbage. `after` is
 * the milliseconds of its sound that come first; by default none.
 */
interface ResponseFault {
  readonly kind: "mute" | "stall" | "cut" | "fail" | "garbage"
  readonly after?: number
}

/** What the model answers, as decided by a test, and what it has said. */
export class RealtimeStage {
  readonly faults: { readonly connection: Array<ConnectionFault>; readonly response: Array<ResponseFault> } = {
    connection: [],
    response: [],
  }
  readonly said: Array<Said> = []
  readonly conversations: Array<RealtimeConversation> = []
  answer: (items: ReadonlyArray<Item>) => Answer = () => ({ text: "I see." })
  /** Returns the text that the model says in place of a fixed sentence. */
  reads = (text: string): string => text
  /** True if it transcribes the caller's words. */
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
    /** Ends every session, as OpenAI does after an hour. */
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

/** The settings of a Parley whose agents may have a voice model. */
export const realtimeSettings = ({ url }: Pick<RealtimeStandIn, "url">) => ({
  OPENAI_API_KEY: "sk-test",
  OPENAI_REALTIME_URL: url,
  DRAIN_SECONDS: "1",
})
