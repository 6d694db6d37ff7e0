/** Stands in for ElevenLabs' voices, with its streaming protocol on the wire. Every text gets the same tone. */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { sine } from "./ToneCode.ts"

/**
 * A number: that HTTP status. `silent`: no answer. `breaks`: the connection breaks during the sound. `empty`: no sound.
 * `page`: a web page.
 */
type Fault = number | "silent" | "breaks" | "empty" | "page"

export interface Asked {
  readonly voice: string
  readonly key: string | string[] | undefined
  readonly rate: number
  readonly body: { readonly text: string; readonly model_id: string; readonly voice_settings?: { speed: number } }
}

export const toneHz = 700
const toneMs = 1_000
const pieceBytes = 3_333

export const elevenLabsServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const faults: Array<Fault> = []
    const asked: Array<Asked> = []
    let aborted = 0

    const speak = async (response: ServerResponse, rate: number, fault: Fault | undefined) => {
      const bytes = Buffer.from(sine(toneHz, toneMs, rate).buffer)
      response.writeHead(200, { "content-type": "audio/pcm" })
      for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
        if (fault === "breaks" && at > pieceBytes * 2) return void response.destroy()
        response.write(bytes.subarray(at, at + pieceBytes))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      response.end()
    }
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? "", "http://localhost")
      const [, voice] = /^\/v1\/text-to-speech\/([^/]+)\/stream$/.exec(url.pathname) ?? []
      const [, rate] = /^pcm_(8000|16000|22050|24000)$/.exec(url.searchParams.get("output_format") ?? "") ?? []
      const body = (await json(request)) as Asked["body"]
      const speed = body.voice_settings?.speed ?? 1
      const isValid =
        request.method === "POST" && voice !== undefined && rate !== undefined && speed >= 0.7 && speed <= 1.2
      if (!isValid) return void response.writeHead(422).end('{"detail":[]}')
      asked.push({ voice: decodeURIComponent(voice), key: request.headers["xi-api-key"], rate: Number(rate), body })
      response.on("close", () => void (aborted += response.writableEnded ? 0 : 1))
      const fault = faults.shift()
      if (fault === "silent") return
      if (typeof fault === "number") return void response.writeHead(fault).end('{"detail":{"status":"busy"}}')
      if (fault === "page") return void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>")
      if (fault === "empty") return void response.writeHead(200).end()
      await speak(response, Number(rate), fault)
    }

    const server = createServer((request, response) => void answer(request, response))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { server, url, faults, asked, aborted: () => aborted }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
)

export type ElevenLabsStandIn = Effect.Success<typeof elevenLabsServer>
