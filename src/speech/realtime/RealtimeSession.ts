/**
 * The session of one call with OpenAI's Realtime API. The line decides when the caller's turn is over, and how much of
 * the agent's speech was heard. The server's own turn detection is off.
 */
import { Clock, Effect } from "effect"
import type { Schema } from "effect"
import type {
  ConversationItem,
  ModelUsage,
  SessionListener,
  VoiceModelOptions,
  VoiceModelSession,
} from "../VoiceModel.ts"
import { type Connection, ConnectionLost, nameOf, open as connect } from "./Connection.ts"
import { Responses } from "./Responses.ts"
import type { ReportedUsage, ServerEvent } from "./ServerEvents.ts"
import { formatAt } from "./SoundFormat.ts"
import { Utterances } from "./Utterances.ts"

export interface Server {
  readonly address: URL
  readonly headers: Readonly<Record<string, string>>
  readonly transcriber: string
  readonly usageOf: (usage: ReportedUsage) => ModelUsage
  /** Counts the usage of the model that transcribes the caller. */
  readonly hearingOf: (usage: ReportedUsage) => ModelUsage
}

const checkEveryMs = 250
/** The most characters of one stretch of the caller's speech. */
const longestWords = 10_000
/** The server ends a session after 60 minutes. After this time it is replaced as soon as nothing is being said. */
const renewedAfterMs = 55 * 60_000
/** The pause before the second attempt. */
const pauseMs = 200

/** `settings` are those of `session.update`. */
export const open = (
  server: Server,
  settings: Schema.JsonObject,
  options: VoiceModelOptions,
  listener: SessionListener,
): Effect.Effect<VoiceModelSession> =>
  Effect.map(Clock.Clock, (clock) => {
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const session = new RealtimeSession(server, settings, options, listener, now)
    return {
      run: stayConnected(session),
      recogniser: session.utterances,
      add: (item, follows) => session.add(item, follows),
      itemOf: (utterance) => session.utterances.itemOf(utterance),
      awaits: (call) => session.responses.awaits(call),
      ask: ({ must_speak }, reply) => session.responses.ask(must_speak ? { tool_choice: "none" } : {}, reply),
      cancel: () => session.responses.cancel(),
      speak: (piece, text, sound) => session.responses.speak(piece, text, sound),
      hasSaid: (sound) => session.responses.hasSaid(sound),
      forget: (sound) => session.responses.forget(sound),
      drop: (piece, heard_ms) => session.responses.drop(piece, heard_ms),
      changeLanguage: (language) => session.changeLanguage(language),
      unknown: () => session.utterances.unknown,
      giveUp: (why) => session.responses.giveUp(why),
    }
  })

class RealtimeSession {
  readonly utterances: Utterances
  readonly responses: Responses
  readonly server: Server
  readonly #listener: SessionListener
  readonly #now: () => number
  #settings: Schema.JsonObject
  #connection: Connection | null = null
  #joinedAt = 0
  #items = 0
  #trouble: string | null = null

  constructor(
    server: Server,
    settings: Schema.JsonObject,
    { language, rates }: VoiceModelOptions,
    listener: SessionListener,
    now: () => number,
  ) {
    this.server = server
    this.#listener = listener
    this.#now = now
    this.#settings = withLanguage(settings, server.transcriber, language)
    this.utterances = new Utterances(rates.heard, listener, now)
    this.responses = new Responses({ rate: rates.spoken, now, listener, usageOf: server.usageOf })
  }

  get settings(): Schema.JsonObject {
    return this.#settings
  }

  join(connection: Connection): void {
    this.#connection = connection
    this.#joinedAt = this.#now()
    this.#trouble = null
    connection.listen((event) => this.#take(event))
    this.#listener.joined()
    this.utterances.join(connection.send)
    this.responses.join(connection.send)
  }

  part(why: string): void {
    this.#connection = null
    this.utterances.part()
    this.responses.part(why)
  }

  /** Why the connection must be replaced; null if it works. `renewal`: the session has become old. */
  get trouble(): string | null {
    if (this.#connection?.isStuck() === true) return "the network takes no data"
    if (!this.utterances.check()) return "the caller's speech was not taken"
    if (!this.responses.check()) return "a response stalled"
    if (this.#now() - this.#joinedAt > renewedAfterMs && this.responses.isIdle && this.utterances.isQuiet)
      return renewal
    return this.#trouble ?? this.responses.trouble
  }

  add(item: ConversationItem, follows: string | null): string {
    const id = `parley_${++this.#items}`
    const after = follows === null ? {} : { previous_item_id: follows }
    const create = (item: Schema.JsonObject, more: Schema.JsonObject = {}) =>
      this.#connection?.send({ type: "conversation.item.create", event_id: `item_${id}`, item, ...more })
    if (!("role" in item)) {
      const { call, result, tool } = item
      if (tool !== undefined) {
        create({ id: `${id}_of`, type: "function_call", call_id: call, name: tool.name, arguments: tool.args }, after)
      }
      const place = tool === undefined ? after : { previous_item_id: `${id}_of` }
      create({ id, type: "function_call_output", call_id: call, output: result }, place)
      return id
    }
    const { role, text } = item
    const type = role === "assistant" ? "output_text" : "input_text"
    create({ id, type: "message", role, content: [{ type, text }] }, after)
    return id
  }

  changeLanguage(language: string): void {
    const { server } = this
    this.#settings = withLanguage(this.#settings, server.transcriber, language)
    const transcription = transcriptionIn(server.transcriber, language)
    this.#connection?.send({
      type: "session.update",
      session: { type: "realtime", audio: { input: { transcription } } },
    })
  }

  #take(event: ServerEvent): void {
    switch (event.type) {
      case "session.updated":
        return
      case "error":
        return this.#refuse(nameOf(event.error), event.error.event_id ?? "")
      case "input_audio_buffer.committed":
        return this.utterances.taken(event.item_id)
      case "conversation.item.input_audio_transcription.completed":
        if (event.usage !== undefined && event.usage !== null) this.#listener.spent(this.server.hearingOf(event.usage))
        return this.utterances.understood(event.item_id, event.transcript.slice(0, longestWords).trim())
      case "conversation.item.input_audio_transcription.failed":
        return this.utterances.understood(event.item_id, null)
      default:
        return this.responses.take(event)
    }
  }

  /** Handles an error, which usually concerns one event of ours. */
  #refuse(why: string, event: string): void {
    if (why === "session_expired") this.#trouble = why
    this.utterances.refused(event)
    this.responses.refused(event, why)
  }
}

const renewal = "renewal"

const transcriptionIn = (model: string, language: string): Schema.JsonObject => ({
  model,
  language: language.split("-", 1)[0]?.toLowerCase() ?? "en",
})

/** Returns the `session.update` settings of one call. */
export const settingsOf = (
  { instructions, rates, tools, voice }: VoiceModelOptions,
  voiceId: string,
): Schema.JsonObject => ({
  type: "realtime",
  instructions,
  output_modalities: ["audio"],
  audio: {
    input: { format: formatAt(rates.heard).wire, turn_detection: null },
    output: { format: formatAt(rates.spoken).wire, voice: voiceId, speed: Math.min(1.5, voice.speed) },
  },
  tools: tools.map((tool) => ({ type: "function", ...tool })),
  tool_choice: "auto",
})

const withLanguage = (settings: Schema.JsonObject, model: string, language: string): Schema.JsonObject => {
  const audio = settings["audio"] as { readonly input: Schema.JsonObject; readonly output: Schema.JsonObject }
  const input = { ...audio.input, transcription: transcriptionIn(model, language) }
  return { ...settings, audio: { ...audio, input } }
}

/** Replaces a broken connection once. A connection that has brought a response allows another replacement. */
const stayConnected = Effect.fnUntraced(function* (session: RealtimeSession) {
  const { address, headers } = session.server
  const connection = Effect.gen(function* () {
    const connection = yield* connect(address, headers, session.settings)
    session.join(connection)
    return yield* Effect.raceFirst(connection.closed, watch(session))
  }).pipe(Effect.scoped)
  let mayRepeat = true
  while (true) {
    const { isRefused, reason }: ConnectionLost = yield* Effect.flip(connection)
    if (session.responses.isProven) mayRepeat = true
    session.part(reason)
    if (reason === renewal) continue
    yield* Effect.annotateLogs(Effect.logWarning("speech-to-speech model disconnected"), { why: reason })
    if (isRefused || !mayRepeat) return reason
    mayRepeat = false
    yield* Effect.sleep(pauseMs)
  }
})

const watch = Effect.fnUntraced(function* (session: RealtimeSession) {
  while (true) {
    yield* Effect.sleep(checkEveryMs)
    const { trouble } = session
    if (trouble !== null) return yield* Effect.fail(new ConnectionLost({ reason: trouble, isRefused: false }))
  }
})
