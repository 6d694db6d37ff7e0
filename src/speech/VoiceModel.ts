/**
 * A model that hears the caller and speaks for the agent itself: speech to speech, in place of a recogniser, a language
 * model and a voice. One port. Plain code, since frames cross it; its work is one effect.
 */
import { Context, type Effect, Option, type Schema, type Stream } from "effect"
import type { Model, Voice } from "../domain/Agent.ts"
import type { Tokens } from "../domain/ModelPrice.ts"
import type { Recogniser } from "./Ear.ts"
import type { TtsFailed } from "./TextToSpeech.ts"

export interface ModelTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema. */
  readonly parameters: Schema.JsonObject
}

/** A call, as the model has to know it before the first word. */
export interface VoiceModelOptions {
  /** The model's id at its provider. */
  readonly model: string
  readonly voice: Voice
  /** A BCP 47 tag. */
  readonly language: string
  readonly instructions: string
  readonly tools: ReadonlyArray<ModelTool>
  /** Samples a second of the frames that it hears, and of those that it speaks. */
  readonly rates: { readonly heard: number; readonly spoken: number }
}

/** Tokens that the provider has counted. */
export interface ModelUsage extends Tokens {
  /** `provider/id`. */
  readonly model: string
  /** US dollars. */
  readonly cost: number
}

/** What a model says in one reply. The functions are called in the order in which it happens, and must not wait. */
export interface ReplyListener {
  /** It begins to speak. `sound` is the id of what it says. */
  readonly speaks: (sound: string) => void
  /** The words of that sound so far, or all of them. */
  readonly worded: (sound: string, text: string) => void
  /** It calls a tool. `args` is the text that it wrote. */
  readonly calls: (call: string, name: string, args: string) => void
  /** The reply is complete, unless it failed. */
  readonly ended: (usage: ModelUsage | null) => void
  readonly failed: (why: string) => void
}

/** What happens in the session of a call beside replies. */
export interface SessionListener {
  /** There is a new connection, which knows nothing: `add` has to give it the conversation so far. */
  readonly joined: () => void
  /** A stretch of the caller's speech is over. Its words follow. */
  readonly heard: (utterance: number, started_ms: number, ended_ms: number) => void
  /** Null: they are not known. */
  readonly understood: (utterance: number, text: string | null, started_ms: number, ended_ms: number) => void
  /** Tokens of no reply: words of the caller, and fixed sentences. */
  readonly spent: (usage: ModelUsage) => void
  /** What it said in place of a fixed sentence. */
  readonly reworded: (piece: number, text: string) => void
}

/** One item of the conversation, as the model has it. */
export type ConversationItem =
  | { readonly role: "user" | "assistant" | "system"; readonly text: string }
  /** The result of a tool. `tool` is the call itself, left out if the model made it on the present connection. */
  | { readonly call: string; readonly result: string; readonly tool?: { readonly name: string; readonly args: string } }

export interface VoiceModelSession {
  /**
   * Connects, and connects again when the connection breaks. Completes with the reason when the model is lost for good.
   * Interrupting it closes the connection.
   */
  readonly run: Effect.Effect<string>
  /** Takes the caller's speech. It never waits, and keeps what was not understood until it is. */
  readonly recogniser: Recogniser
  /** Adds an item to the conversation: after `follows`, or at the end. Returns its id. */
  readonly add: (item: ConversationItem, follows: string | null) => string
  /** The id of the caller's utterance in the conversation; null before the model has told it. */
  readonly itemOf: (utterance: number) => string | null
  /** Whether the call of a tool was made on the present connection, so that the model awaits its result. */
  readonly awaits: (call: string) => boolean
  /** Asks for a reply. The reply before it is cancelled. */
  readonly ask: (order: { readonly must_speak: boolean }, listener: ReplyListener) => void
  /** Cancels the reply that is being made. */
  readonly cancel: () => void
  /** The sound of a piece: the one that it began to make by itself, or that of a fixed text. */
  readonly speak: (piece: number, text: string, sound: string | undefined) => Stream.Stream<Int16Array, TtsFailed>
  /** Whether the model has said this sound on the present connection. */
  readonly hasSaid: (sound: string) => boolean
  /** Drops a sound that became no piece, as if the model had not said it. */
  readonly forget: (sound: string) => void
  /** Drops the rest of a piece, of which `heard_ms` were heard: the model forgets what was not heard. */
  readonly drop: (piece: number, heard_ms: number) => void
  readonly changeLanguage: (language: string) => void
  /** Speech whose words are not known, oldest first: for a recogniser that takes over. */
  readonly unknown: () => ReadonlyArray<Stretch>
  /** Fails the sounds that were not begun, so that a voice that takes over speaks them. */
  readonly giveUp: (why: string) => void
}

export interface Stretch {
  readonly utterance: number
  readonly frames: ReadonlyArray<Int16Array>
  readonly started_ms: number
  /** Null: it goes on. */
  readonly ended_ms: number | null
}

export interface VoiceModelProvider {
  readonly open: (options: VoiceModelOptions, listener: SessionListener) => Effect.Effect<VoiceModelSession>
}

/** The `provider` of agents' models that are voice models. */
export const voiceModelProvider = "openai-realtime"

export const isVoiceModel = ({ provider }: Model): boolean => provider === voiceModelProvider

/** None: the installation has no key for one. */
export const VoiceModel = Context.Reference<Option.Option<VoiceModelProvider>>("speech/VoiceModel", {
  defaultValue: Option.none,
})
