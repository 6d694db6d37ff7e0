/**
 * Stands in for Deepgram's live recogniser, with its protocol on the wire. It recognises the words in the sound it
 * receives: interim results for every 200 ms of sound, and final results for every 1.5 s and on request.
 */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { heard } from "./ToneCode.ts"

const interimEveryMs = 200
const finalEveryMs = 1_500

/**
 * The fault of a connection. `refused`: 401. `unknown`: 400, as for an unknown language. `deaf`: it never answers.
 * `garbage`: it sends malformed messages first. `interim only`: it sends no final results. `cutAfterMs`: it breaks
 * after this many milliseconds of sound.
 */
type Fault = "refused" | "unknown" | "deaf" | "garbage" | "interim only" | { readonly cutAfterMs: number }

const garbage = [
  "<html>",
  "{",
  "[]",
  '{"type":"Results"}',
  '{"type":"Results","start":"x"}',
  '{"type":"Error"}',
  "null",
]

const serve = (socket: WebSocket, rate: number, fault: Fault | undefined) => {
  let sound = new Int16Array(0)
  /** The position of the first sample without final words. */
  let from = 0
  let told = 0
  const tell = (is_final: boolean, from_finalize: boolean) => {
    const words = heard(sound.subarray(from), rate)
    const transcript = is_final && words !== "" ? `${words[0]?.toUpperCase()}${words.slice(1)}.` : words
    const duration = (sound.length - from) / rate
    const channel = { alternatives: [{ transcript, confidence: 0.9, words: [] }] }
    const about = { type: "Results", channel_index: [0, 1], start: from / rate, duration }
    socket.send(JSON.stringify({ ...about, is_final, speech_final: false, channel, from_finalize }))
    told = sound.length
    if (is_final) from = sound.length
  }
  const msSince = (at: number) => ((sound.length - at) / rate) * 1_000
  if (fault === "garbage") {
    for (const text of garbage) socket.send(text)
    socket.send(Buffer.from([1, 2, 3]))
  }
  return {
    hear: (bytes: Buffer) => {
      const more = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      const all = new Int16Array(sound.length + more.length)
      all.set(sound)
      all.set(more, sound.length)
      sound = all
      if (fault === "deaf") return
      if (typeof fault === "object" && msSince(0) >= fault.cutAfterMs) return socket.terminate()
      if (fault !== "interim only" && msSince(from) >= finalEveryMs) return tell(true, false)
      if (msSince(told) >= interimEveryMs) tell(false, false)
    },
    heardMs: () => msSince(0),
    finalise: () => {
      if (fault !== "deaf" && fault !== "interim only") tell(true, true)
    },
  }
}

export const deepgramServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const faults: Array<Fault> = []
    /** The query and the key of each connection. */
    const opened: Array<{ readonly query: Record<string, string>; readonly key: string | undefined }> = []
    const messages: Array<string> = []
    /** For each accepted connection, the milliseconds of sound it has received. */
    const heardMs: Array<() => number> = []
    const http = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    http.on("upgrade", (request, stream, head) => {
      const url = new URL(request.url ?? "", "http://localhost")
      const query = Object.fromEntries(url.searchParams)
      opened.push({ query, key: request.headers.authorization })
      const fault = faults.shift()
      if (fault === "refused" || url.pathname !== "/v1/listen") {
        return void stream.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
      }
      if (fault === "unknown") {
        return void stream.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
      }
      sockets.handleUpgrade(request, stream, head, (socket) => {
        const recogniser = serve(socket, Number(query["sample_rate"]), fault)
        heardMs.push(recogniser.heardMs)
        socket.on("message", (data: Buffer, isBinary) => {
          if (isBinary) return recogniser.hear(data)
          const { type } = JSON.parse(String(data)) as { readonly type: string }
          messages.push(type)
          if (type === "Finalize") recogniser.finalise()
        })
      })
    })
    http.listen(0, "127.0.0.1")
    await once(http, "listening")
    const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`
    return { http, sockets, url, faults, opened, messages, heardMs }
  }),
  ({ http, sockets }) =>
    Effect.sync(() => {
      for (const socket of sockets.clients) socket.terminate()
      http.close()
      http.closeAllConnections()
    }),
)

export type DeepgramStandIn = Effect.Success<typeof deepgramServer>
