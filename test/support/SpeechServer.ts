/**
 * Stands in for a speech server, with OpenAI's protocol on the wire. It recognises the words in the sound it receives,
 * and gives each sentence it speaks its own tone, which a test can find in what is played. For the voice of flite it
 * speaks the words.
 */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { buffer, json } from "node:stream/consumers"
import { fliteVoice, say as sayWithFlite } from "./Flite.ts"
import { heard, joined, silence, sine } from "./ToneCode.ts"

/**
 * Milliseconds, longer than a machine stalls. Closing a connection while a request is sent over it would fail the test.
 */
const keepAliveTimeout = 120_000

export interface Spoken {
  readonly input: string
  readonly voice: string
  readonly speed: number
  readonly hz: number
  readonly ms: number
}

export interface Understood {
  readonly words: string
  readonly language: string
  readonly model: string
  readonly ms: number
}

/** The body of a request for speech. */
type Speech = Pick<Spoken, "input" | "voice"> & { readonly response_format: string; readonly speed?: number }

type Endpoint = "speech" | "transcriptions"
/**
 * A number: that HTTP status. `silent`: no answer. `breaks`: the connection breaks midway. `nonsense`: a web page.
 * `endless`: an answer that never ends.
 */
type Fault = number | "silent" | "breaks" | "nonsense" | "endless"

const spokenRate = 24_000
const msACharacter = 60
const tones = Array.from({ length: 12 }, (_, at) => 400 + at * 110)

function* flood() {
  while (true) yield Buffer.alloc(16_384, " ")
}

/** The samples of a WAV file with one channel of 16 bits. */
const samplesOf = (wav: Buffer) => {
  const rate = wav.readUInt32LE(24)
  if (wav.toString("latin1", 0, 4) !== "RIFF" || wav.readUInt16LE(22) !== 1)
    throw new Error("That is no WAV file of ours")
  return { rate, samples: new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length)) }
}

export const speechServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const spoken: Array<Spoken> = []
    const understood: Array<Understood> = []
    const faults: Record<Endpoint, Array<Fault>> = { speech: [], transcriptions: [] }
    const keys = new Set<string | undefined>()
    let aborted = 0

    const transcribe = async (request: IncomingMessage, response: ServerResponse) => {
      const body = new Response(new Uint8Array(await buffer(request)), {
        headers: { "content-type": request.headers["content-type"] ?? "" },
      })
      const form = await body.formData()
      const { rate, samples } = samplesOf(Buffer.from(await (form.get("file") as File).arrayBuffer()))
      const words = heard(samples, rate)
      const ms = Math.round((samples.length / rate) * 1_000)
      understood.push({ words, ms, language: String(form.get("language")), model: String(form.get("model")) })
      response.writeHead(200, { "content-type": "application/json" })
      const text = words === "" ? "" : `${words[0]?.toUpperCase()}${words.slice(1)}.`
      response.end(JSON.stringify({ text, usage: { type: "duration", seconds: Math.ceil(ms / 1_000) } }))
    }

    const speak = async (request: IncomingMessage, response: ServerResponse, breaks: boolean) => {
      const { input, response_format, speed = 1, voice } = (await json(request)) as Speech
      if (response_format !== "pcm") return void response.writeHead(400).end()
      const hz = tones[spoken.length % tones.length] ?? 0
      const ms = Math.round((input.length * msACharacter) / speed / 20) * 20
      spoken.push({ input, voice, speed, hz, ms })
      const said = voice === fliteVoice ? await sayWithFlite(input) : sine(hz, ms, spokenRate)
      const sound = joined(silence(200, spokenRate), said)
      const bytes = Buffer.from(sound.buffer)
      response.writeHead(200, { "content-type": "audio/pcm" })
      // Write in odd pieces, as over a network, and at most ten times faster than real time.
      const piece = 4_801
      for (let at = 0; at < bytes.length && !response.destroyed; at += piece) {
        if (!response.write(bytes.subarray(at, at + piece)))
          await Promise.race([once(response, "drain"), once(response, "close")])
        if (breaks && at > piece * 5) return void response.destroy()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      response.end()
    }

    const server = createServer({ keepAliveTimeout }, async (request, response) => {
      const endpoint = request.url?.split("/").at(-1) as Endpoint
      keys.add(request.headers.authorization)
      response.on("close", () => void (aborted += response.writableEnded ? 0 : 1))
      const fault = faults[endpoint].shift()
      if (fault === "silent") return
      if (typeof fault === "number") return void response.writeHead(fault).end('{"error":{"message":"overloaded"}}')
      if (fault === "nonsense") return void response.writeHead(200).end("<html>")
      if (fault === "endless")
        return void Readable.from(flood())
          .on("error", () => {})
          .pipe(response)
      if (endpoint === "transcriptions" && fault === "breaks") return void request.destroy()
      const answered =
        endpoint === "transcriptions" ? transcribe(request, response) : speak(request, response, fault === "breaks")
      await answered.catch((error: unknown) => {
        // A process that is killed leaves its request incomplete.
        if (request.complete) throw error
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    return { server, url, spoken, understood, faults, keys, aborted: () => aborted }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
)

export type SpeechStandIn = Effect.Success<typeof speechServer>

/** The server, with what it speaks and understands from now on, for a test that shares it with tests before. */
export const fromNowOn = (server: SpeechStandIn): SpeechStandIn => {
  const [spoken, understood] = [server.spoken.length, server.understood.length]
  return {
    ...server,
    get spoken() {
      return server.spoken.slice(spoken)
    },
    get understood() {
      return server.understood.slice(understood)
    },
  }
}

/**
 * The settings of a Parley that speaks and listens with the stand-in, with short time-outs for what a test leaves open.
 */
export const speakingSettings = ({ url }: Pick<SpeechStandIn, "url">) => ({
  SPEECH_BASE_URL: url,
  SPEECH_API_KEY: "sk-test",
  STT_MODEL: "ears",
  TTS_VOICE: "nora",
  DRAIN_SECONDS: "1",
})
