/**
 * An agent that any softphone on this machine can call, without a trunk and without an API key:
 *
 *     npm run phone
 *
 * It speaks with espeak-ng. With a recogniser (DEEPGRAM_API_KEY or SPEECH_BASE_URL) it understands words. Without one
 * it says that it does not. PARLEY_SIP_PORT chooses another port than 5070.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { login, type Page, type Parley } from "./parley.ts"
import { serve, type Server } from "./serve.ts"
import * as show from "./show.ts"
import { type Conversation, showTranscript } from "./transcript.ts"

const account = "telephone"
const number = "+12025550142"
const port = process.env["PARLEY_SIP_PORT"] ?? "5070"
const has = (name: string) => (process.env[name] ?? "") !== ""
const canUnderstand = has("STT_PROVIDERS") || has("DEEPGRAM_API_KEY") || has("SPEECH_API_KEY") || has("SPEECH_BASE_URL")
const hasVoice = has("TTS_PROVIDERS") || has("ELEVENLABS_API_KEY") || has("SPEECH_API_KEY") || has("SPEECH_BASE_URL")

const settings = {
  PARLEY_SIP_PORT: port,
  PARLEY_SIP_HOST: "127.0.0.1",
  PARLEY_SIP_NETWORKS: "127.0.0.0/8",
  PARLEY_MEDIA_HOST: "127.0.0.1",
  DRAIN_SECONDS: "1",
  ...(hasVoice ? {} : { TTS_PROVIDERS: "espeak" }),
  ...(canUnderstand ? {} : { STT_PROVIDERS: "none" }),
}

const greeting = canUnderstand
  ? "Hello, this is Robin, an agent of Parley on this machine. What are you calling about?"
  : "Hello, this is Robin, an agent of Parley on this machine. Your call works. No recogniser is configured, so I cannot " +
    "understand words. Set a key for one, and call again. Goodbye for now, you may hang up."

const setUp = async (url: string): Promise<Parley> => {
  const admin = await login(url, { email: "admin@example.com", admin: true })
  const caps = { concurrent_max: 10, calls_per_minute: 60, calls_per_day: 1_000 }
  await admin.post("/api/admin/accounts", { slug: account, name: "Telephone", ...caps })
  const parley = await login(url, { email: `robin@${account}.example`, account })
  const agent = await parley.post<{ readonly id: string }>("/api/agents", {
    name: "robin",
    system_prompt:
      "You are Robin, who answers the telephone of a newcomer to Parley.\nAsk: What are you calling about?",
    first_message: greeting,
    max_call_seconds: 300,
  })
  await parley.post("/api/phone-numbers", {
    number,
    label: "This machine",
    carrier: "sip",
    inbound_agent_id: agent.id,
    carrier_config: { server: "127.0.0.1" },
  })
  return parley
}

interface EndedCall extends Conversation {
  readonly id: string
  readonly ended_at: string | null
  readonly end_reason: string | null
}

/** Prints each call once it has ended. */
const followCalls = async (parley: Parley): Promise<never> => {
  const shown = new Set<string>()
  while (true) {
    const { items } = await parley.get<Page<EndedCall>>("/api/v1/calls?direction=inbound&page_size=20")
    for (const { ended_at, id } of items) {
      if (ended_at === null || shown.has(id)) continue
      shown.add(id)
      const call = await parley.get<EndedCall>(`/api/v1/calls/${id}`)
      show.title(`A call has ended: ${call.end_reason?.replaceAll("_", " ")}`)
      showTranscript(call, "You")
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    show.hint("\n  Stopping the server …")
    stopped.abort()
  })
}

let server: Server | undefined
try {
  show.title("Parley: an agent that you can ring from this machine")
  await once(spawn(process.execPath, [join(import.meta.dirname, "../apps/build.ts")]), "exit")
  server = await serve(settings, stopped.signal)
  const parley = await setUp(server.url)
  show.step("Telephone", `dial  sip:${number.slice(1)}@127.0.0.1:${port}  from any softphone on this machine`)
  show.step("Softphone", "no account and no registration; sound over PCMU or PCMA. For example:")
  show.hint(`               baresip -e "/dial sip:${number.slice(1)}@127.0.0.1:${port}"`)
  if (!canUnderstand) {
    show.step("Words", "are not understood: set DEEPGRAM_API_KEY or SPEECH_BASE_URL (docs/settings.md)")
  }
  show.howToSignIn(server.url, account)
  await Promise.race([followCalls(parley), server.ended])
} catch (cause) {
  if (!stopped.signal.aborted) {
    console.error(
      `\nThe telephone failed. ${cause instanceof Error ? cause.message : String(cause)}${server?.said() ?? ""}`,
    )
    process.exitCode = 1
  }
} finally {
  await server?.stop()
}
process.exit()
