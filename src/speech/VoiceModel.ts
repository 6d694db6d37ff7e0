/**
 * The port to a speech-to-speech model, which hears the caller and speaks for the agent, in place of a recogniser, a
 * language model and a voice. Its functions are plain code, because frames cross it. Only `run` is an effect.
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

/** The settings of one call's session. */
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

/** Receives what the model says in one reply, in order. The functions must not wait. */
export interface ReplyListener {
  /** The model begins to speak. `sound` is the id of the sound. */
  readonly speaks: (sound: string) => void
  /** The words of a sound: those so far, or all of them. */
  readonly worded: (sound: string, text: string) => void
  /** The model calls a tool. `args` is the JSON text that it wrote. */
  readonly calls: (call: string, name: string, args: string) => void
  /** The reply is complete, unless it failed. */
  readonly ended: (usage: ModelUsage | null) => void
  readonly failed: (why: string) => void
}

/** Receives the events of a session that belong to no reply. */
export interface SessionListener {
  /** A new connection is there and knows nothing. The listener must `add` the conversation so far. */
  readonly joined: () => void
  /** A stretch of the caller's speech has ended. Its words follow. */
  readonly heard: (utterance: number, started_ms: number, ended_ms: number) => void
  /** The words of a stretch; null if they could not be recognised. */
  readonly understood: (utterance: number, text: string | null, started_ms: number, ended_ms: number) => void
  /** Tokens that belong to no reply: for transcribing the caller, and for fixed sentences. */
  readonly spent: (usage: ModelUsage) => void
  /** What the model really said for a fixed sentence. */
  readonly reworded: (piece: number, text: string) => void
}

/** One item of the conversation, as the model has it. */
export type ConversationItem =
  | { readonly role: "user" | "assistant" | "system"; readonly text: string }
  /** The result of a tool. `tool` is the call; left out if the model made the call on the present connection. */
  | { readonly call: string; readonly result: string; readonly tool?: { readonly name: string; readonly args: string } }

export interface VoiceModelSession {
  /**
   * Connects, and connects again when the connection breaks. Completes with the reason when the model is lost for good.
   * Interrupting it closes the connection.
   */
  readonly run: Effect.Effect<string>
  /** Takes the caller's speech. Never waits, and keeps each stretch until the model has understood it. */
  readonly recogniser: Recogniser
  /** Adds an item to the conversation: after `follows`, or at the end. Returns its id. */
  readonly add: (item: ConversationItem, follows: string | null) => string
  /** The id of the caller's utterance in the conversation; null before the model has reported it. */
  readonly itemOf: (utterance: number) => string | null
  /** Whether the model made this tool call on the present connection, and so waits for its result. */
  readonly awaits: (call: string) => boolean
  /** Asks for a reply, and cancels the previous one. */
  readonly ask: (order: { readonly must_speak: boolean }, listener: ReplyListener) => void
  /** Cancels the current reply. */
  readonly cancel: () => void
  /** Returns the sound of a piece: one that the model is making in a reply (`sound`), or that of a fixed text. */
  readonly speak: (piece: number, text: string, sound: string | undefined) => Stream.Stream<Int16Array, TtsFailed>
  /** Whether the model has said this sound on the present connection. */
  readonly hasSaid: (sound: string) => boolean
  /** Drops a sound that became no piece, and makes the model forget it. */
  readonly forget: (sound: string) => void
  /** Drops the rest of a piece of which `heard_ms` were heard, and makes the model forget the rest. */
  readonly drop: (piece: number, heard_ms: number) => void
  readonly changeLanguage: (language: string) => void
  /** The stretches whose words are unknown, oldest first, for a recogniser that takes over. */
  readonly unknown: () => ReadonlyArray<Stretch>
  /** Fails the sounds that were not begun, so that another voice speaks them. */
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
