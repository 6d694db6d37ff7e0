/**
 * One session with the stand-in for OpenAI's Realtime API: its conversation, its answers and its refusals. It
 * recognises the words in the sound it receives, and gives each sentence it speaks its own tone.
 */
import type { WebSocket } from "ws"
import { decodeG711, encodeG711, pcmu } from "../../src/speech/G711.ts"
import type { RealtimeStage } from "./RealtimeServer.ts"
import { heard, joined, silence, sine } from "./ToneCode.ts"

export interface Item {
  readonly id: string
  readonly type: string
  readonly role?: string | undefined
  /** The text that was written, recognised or spoken. */
  readonly text: string
  readonly call_id?: string | undefined
  readonly name?: string | undefined
  /** The milliseconds of sound that remain after a truncation. */
  ms?: number
}

interface Side {
  readonly format?: { readonly type: string; readonly rate?: number }
  readonly turn_detection?: null
}

interface Settings {
  readonly instructions?: string
  readonly audio?: { readonly input?: Side; readonly output?: Side }
}

interface WrittenItem {
  readonly id?: string
  readonly type: string
  readonly role?: string
  readonly content?: ReadonlyArray<{ readonly text?: string }>
  readonly arguments?: string
  readonly output?: string
  readonly call_id?: string
  readonly name?: string
}

interface Order {
  readonly conversation?: string
  readonly input?: ReadonlyArray<WrittenItem>
  readonly metadata?: Readonly<Record<string, string>>
}

/** The fields of all events that a client sends. Each event has some of them. */
export interface ClientEvent {
  readonly type: string
  readonly event_id?: string
  readonly session?: Settings
  readonly audio?: string
  readonly item?: WrittenItem
  readonly item_id?: string
  readonly previous_item_id?: string
  readonly audio_end_ms?: number
  readonly response?: Order
}

interface ActiveResponse {
  readonly id: string
  readonly metadata: Order["metadata"] | null
  isCancelled: boolean
}

const msACharacter = 60
const leadMs = 200
const pieceMs = 200
const tones = Array.from({ length: 12 }, (_, at) => 400 + at * 110)
const wordsAfterMs = 150
const garbage = ["{", "null", "[]", '{"type":"response.done"}', "<html>"]

let count = 0
const idOf = (kind: string) => `${kind}_${++count}`

export class RealtimeConversation {
  readonly items: Array<Item> = []
  readonly events: Array<ClientEvent> = []
  /** The codes of the refusals sent. */
  readonly errors: Array<string> = []
  readonly model: string | null
  readonly key: string | undefined
  settings: Settings = {}
  readonly #socket: WebSocket
  readonly #stage: RealtimeStage
  #sound: Array<Buffer> = []
  #active: ActiveResponse | null = null

  constructor(socket: WebSocket, stage: RealtimeStage, model: string | null, key: string | undefined) {
    this.#socket = socket
    this.#stage = stage
    this.model = model
    this.key = key
  }

  get texts(): ReadonlyArray<string> {
    return this.items.map(({ name, role, text, type }) => `${role ?? `${type} ${name ?? ""}`.trim()}: ${text}`)
  }

  begin(): void {
    this.#send({ type: "session.created", session: {} })
    this.#socket.on("message", (data) => {
      const event = JSON.parse(String(data)) as ClientEvent
      if (event.type !== "input_audio_buffer.append") this.events.push(event)
      this.#take(event)
    })
  }

  #send(event: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(JSON.stringify({ event_id: idOf("event"), ...event }))
  }

  #refuse(code: string, { event_id = "" }: ClientEvent): void {
    this.errors.push(code)
    const error = { type: "invalid_request_error", code, message: "Incorrect: sk-secret", event_id }
    this.#send({ type: "error", error })
  }

  #take(event: ClientEvent): void {
    switch (event.type) {
      case "session.update":
        this.settings = { ...event.session, audio: { ...this.settings.audio, ...event.session?.audio } }
        return this.#send({ type: "session.updated", session: this.settings })
      case "input_audio_buffer.append":
        return void this.#sound.push(Buffer.from(event.audio ?? "", "base64"))
      case "input_audio_buffer.clear":
        return void this.#sound.splice(0)
      case "input_audio_buffer.commit":
        return this.#commit(event)
      case "conversation.item.create":
        return this.#create(event)
      case "conversation.item.truncate":
        return this.#truncate(event)
      case "conversation.item.delete":
        return this.#delete(event)
      case "response.create":
        return void this.#respond(event)
      case "response.cancel":
        if (this.#active === null) return this.#refuse("response_cancel_not_active", event)
        return void (this.#active.isCancelled = true)
    }
  }

  #rateOf(side: "input" | "output"): number {
    return this.settings.audio?.[side]?.format?.type === "audio/pcmu" ? 8_000 : 24_000
  }

  #commit(event: ClientEvent): void {
    const rate = this.#rateOf("input")
    const bytes = Buffer.concat(this.#sound.splice(0))
    const wide = () => new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    const samples = rate === 8_000 ? decodeG711(pcmu, bytes) : wide()
    if (samples.length < rate / 10) return this.#refuse("input_audio_buffer_commit_empty", event)
    const words = heard(samples, rate)
    const transcript = words === "" ? "" : `${words[0]?.toUpperCase()}${words.slice(1)}.`
    const item: Item = { id: idOf("item"), type: "message", role: "user", text: transcript }
    this.items.push(item)
    this.#send({ type: "input_audio_buffer.committed", item_id: item.id, previous_item_id: null })
    if (!this.#stage.isTranscribing) return
    const usage = { type: "tokens", input_tokens: 10, output_tokens: transcript.length }
    const type = "conversation.item.input_audio_transcription.completed"
    setTimeout(() => this.#send({ type, item_id: item.id, content_index: 0, transcript, usage }), wordsAfterMs)
  }

  #create(event: ClientEvent): void {
    const { item = { type: "message" }, previous_item_id: after } = event
    const { arguments: args, call_id, content, id = idOf("item"), name, output, role, type } = item
    const isCalled = this.items.some((call) => call.type === "function_call" && call.call_id === call_id)
    if (type === "function_call_output" && !isCalled) return this.#refuse("invalid_call_id", event)
    const at = this.items.findIndex(({ id }) => id === after)
    if (after !== undefined && after !== "root" && at < 0) return this.#refuse("item_not_found", event)
    const text = content?.[0]?.text ?? args ?? output ?? ""
    this.items.splice(after === undefined ? this.items.length : at + 1, 0, { id, type, role, text, call_id, name })
  }

  #truncate(event: ClientEvent): void {
    const item = this.items.find(({ id }) => id === event.item_id)
    if (item?.ms === undefined) return this.#refuse("item_not_found", event)
    if ((event.audio_end_ms ?? 0) > item.ms) return this.#refuse("invalid_value", event)
    item.ms = event.audio_end_ms ?? 0
  }

  #delete(event: ClientEvent): void {
    const at = this.items.findIndex(({ id }) => id === event.item_id)
    if (at < 0) return this.#refuse("item_not_found", event)
    this.items.splice(at, 1)
  }

  async #respond(event: ClientEvent): Promise<void> {
    const { response = {} } = event
    const isAloud = response.conversation === "none"
    if (this.#active !== null) return this.#refuse("conversation_already_has_active_response", event)
    const fault = this.#stage.faults.response.shift()
    if (fault?.kind === "mute") return
    const active: ActiveResponse = { id: idOf("resp"), metadata: response.metadata ?? null, isCancelled: false }
    this.#active = active
    const { id, metadata } = active
    this.#send({ type: "response.created", response: { id, status: "in_progress", metadata, output: [] } })
    /** Applies the response's fault if it is due. Returns whether the response ends with it. */
    const breaks = (ms: number | undefined): boolean => {
      if (fault === undefined || (fault.after === undefined ? ms !== undefined : (ms ?? 0) < fault.after)) return false
      if (fault.kind === "cut") this.#socket.terminate()
      if (fault.kind === "fail") this.#finish(active, "failed")
      if (fault.kind === "garbage") for (const text of garbage) this.#socket.send(text)
      return true
    }
    if (breaks(undefined)) return
    const aloud = /<text>([^]*)<\/text>/.exec(response.input?.[0]?.content?.[0]?.text ?? "")?.[1] ?? ""
    const { calls = [], text } = isAloud ? { text: this.#stage.reads(aloud) } : this.#stage.answer(this.items)
    if (text !== undefined && (await this.#speak(active, text, isAloud, breaks))) return
    for (const { args, name } of active.isCancelled ? [] : calls) {
      const item: Item = { id: idOf("item"), type: "function_call", text: args, name, call_id: idOf("call") }
      this.items.push(item)
      const { call_id, type } = item
      const made = { id: item.id, type, name, call_id, arguments: args }
      this.#send({ type: "response.output_item.done", response_id: id, output_index: 1, item: made })
    }
    this.#finish(active, active.isCancelled ? "cancelled" : "completed")
  }

  #finish({ id, metadata }: ActiveResponse, status: "completed" | "cancelled" | "failed"): void {
    this.#active = null
    const error = { type: "server_error", code: "server_error" }
    const status_details = status === "failed" ? { type: status, error } : null
    const usage = {
      input_tokens: 100,
      output_tokens: 60,
      input_token_details: { cached_tokens: 20, audio_tokens: 60, cached_tokens_details: { audio_tokens: 10 } },
      output_token_details: { audio_tokens: 50, text_tokens: 10 },
    }
    this.#send({ type: "response.done", response: { id, status, status_details, metadata, usage, output: [] } })
  }

  /** Returns whether the response ended with its fault. */
  async #speak(
    active: ActiveResponse,
    text: string,
    isAloud: boolean,
    breaks: (ms: number) => boolean,
  ): Promise<boolean> {
    const { said } = this.#stage
    const rate = this.#rateOf("output")
    const hz = tones[said.length % tones.length] ?? 0
    const ms = Math.round((text.length * msACharacter) / 20) * 20
    said.push({ text, hz, ms, isAloud })
    const sound = joined(silence(leadMs, rate), sine(hz, ms, rate))
    const item: Item = { id: idOf("item"), type: "message", role: "assistant", text, ms: 0 }
    if (!isAloud) this.items.push(item)
    const at = { response_id: active.id, item_id: item.id, output_index: 0, content_index: 0 }
    const words = text.split(" ")
    const steps = Math.ceil((leadMs + ms) / pieceMs)
    for (let step = 0, told = 0; step < steps && !active.isCancelled; step++) {
      for (const until = Math.ceil(((step + 1) / steps) * words.length); told < until; told++) {
        const delta = `${told === 0 ? "" : " "}${words[told]}`
        this.#send({ type: "response.output_audio_transcript.delta", ...at, delta })
      }
      const samples = sound.subarray((step * pieceMs * rate) / 1_000, ((step + 1) * pieceMs * rate) / 1_000)
      item.ms = (item.ms ?? 0) + (samples.length / rate) * 1_000
      this.#send({ type: "response.output_audio.delta", ...at, delta: bytesOf(samples, rate).toString("base64") })
      if (breaks(item.ms)) return true
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    this.#send({ type: "response.output_audio.done", ...at })
    const content = [{ type: "output_audio", transcript: text }]
    const made = { id: item.id, type: "message", role: "assistant", content }
    this.#send({ type: "response.output_item.done", response_id: active.id, output_index: 0, item: made })
    return false
  }
}

const bytesOf = (samples: Int16Array, rate: number): Buffer => {
  if (rate !== 8_000) return Buffer.from(samples.slice().buffer)
  const bytes = Buffer.alloc(samples.length)
  encodeG711(pcmu, samples, bytes, 0)
  return bytes
}
