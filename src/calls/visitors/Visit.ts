/** A visit to a page, and the conversation of this process that it becomes: its secret, its entry, and its end. */
import { Data, type Effect, type Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import type { CallId, EndReason } from "../../domain/Call.ts"
import type { ChatEnd } from "../../domain/WidgetMessage.ts"
import type { Chat } from "../../telephony/browser/Chat.ts"
import type { SoundWire } from "../../telephony/browser/SoundWire.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { Presence } from "./Presence.ts"

export interface Visit {
  readonly account: AccountEntry
  /** The session's id: a session has one conversation at a time. */
  readonly session: string
  readonly agent_id: string
  readonly variables: Schema.JsonObject
  readonly greeting: string | null
  /** A conversation by voice needs speech to be configured. */
  readonly mode: "chat" | "voice"
}

export interface LiveChat {
  readonly id: CallId
  readonly chat: Chat
  /** Null if the conversation is in writing. */
  readonly sound: SoundWire | null
  /** Completes when this process gives the conversation up, and the page has to connect again to go on with it. */
  readonly moved: Effect.Effect<void>
}

export interface Entry extends LiveChat {
  readonly account: string
  readonly session: string
  readonly presence: Presence
}

/** The conversations of this process, by the key of their secret. */
export type Entries = Map<string, Entry>

export const endAllOf = (entries: Entries, session: string): void => {
  for (const entry of entries.values()) if (entry.session === session) entry.chat.leave("hung_up")
}

/** Adds the conversation, and ends another of its session that began while this one was admitted. */
export const enterAlone = (entries: Entries, key: string, entry: Entry): void => {
  endAllOf(entries, entry.session)
  entries.set(key, entry)
}

/** This process is shutting down: the page has to connect to another one. */
export class GivingUp extends Data.TaggedError("GivingUp") {}

export const newSecret = () => randomBytes(24).toString("base64url")
/** The secret has 192 random bits, so no slow hash is needed. */
export const hashOf = (secret: string): Uint8Array => createHash("sha256").update(secret).digest()
export const keyOf = (hash: Uint8Array): string => Buffer.from(hash).toString("base64url")

const ends: Partial<Record<EndReason, ChatEnd>> = {
  caller_hung_up: "visitor_left",
  agent_hung_up: "agent_hung_up",
  opted_out: "agent_hung_up",
  hung_up: "hung_up",
  transferred: "transferred",
  silence: "silence",
  max_duration: "max_duration",
  interrupted: "interrupted",
  line_lost: "interrupted",
}

/** `idle`: the conversation ended because no messages came. */
export const endOf = (reason: EndReason, idle: boolean): ChatEnd =>
  idle && reason === "caller_hung_up" ? "silence" : (ends[reason] ?? "agent_error")
