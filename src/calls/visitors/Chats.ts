/**
 * Conversations of this process with visitors of pages, in writing or by voice. Each is a call and counts in the caps.
 * A conversation outlives its socket for a while, so that the page can connect to it again.
 */
import { Clock, Context, Effect, Layer, Option, type Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { CallId, EndReason } from "../../domain/Call.ts"
import type { CapReached } from "../../domain/Cap.ts"
import type { UnknownReference } from "../../domain/Refusals.ts"
import type { ChatEnd, SoundRates } from "../../domain/WidgetMessage.ts"
import { heardRate, spokenRate } from "../../speech/Audio.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import { Chat } from "../../telephony/browser/Chat.ts"
import * as ChatLine from "../../telephony/browser/ChatLine.ts"
import { SoundWire } from "../../telephony/browser/SoundWire.ts"
import * as VoiceLine from "../../telephony/browser/VoiceLine.ts"
import { MediaClock } from "../../telephony/MediaClock.ts"
import type { SoundEquipment } from "../../telephony/SoundLine.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { Calls } from "../Calls.ts"
import { Presence } from "./Presence.ts"

export type { Chat, Page } from "../../telephony/browser/Chat.ts"
export type { Loudspeaker } from "../../telephony/browser/SoundWire.ts"

const lookEvery = "1 second"

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
}

interface Entry extends LiveChat {
  readonly account: string
  readonly session: string
  readonly presence: Presence
}

export class Chats extends Context.Service<
  Chats,
  {
    readonly begin: (
      visit: Visit,
    ) => Effect.Effect<LiveChat, CapReached | UnknownReference, CurrentTenant | SqlClient.SqlClient>
    /**
     * Sample rates of voice conversations; null if no recogniser and voice are configured, and visitors can only write.
     */
    readonly sound: SoundRates | null
    /** Finds the account's conversation by its secret; undefined if it is unknown or already forgotten. */
    readonly resume: (account: AccountEntry, secret: string) => LiveChat | undefined
  }
>()("calls/visitors/Chats") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const calls = yield* Calls
      const entries = new Map<string, Entry>()
      const clock = yield* MediaClock
      const equipment = Option.map(yield* lineSpeech, (speech): SoundEquipment => ({ ...speech, clock }))

      const endAllOf = (session: string): void => {
        for (const entry of entries.values()) if (entry.session === session) entry.chat.leave("hung_up")
      }

      // Uninterruptible: if the page is lost before the call has its entry, nothing would end the call.
      const begin = Effect.fn("Chats.begin")(function* (visit: Visit) {
        const voice = visit.mode === "voice" ? equipment : Option.none()
        endAllOf(visit.session)
        const secret = randomBytes(24).toString("base64url")
        const wallClock = yield* Clock.Clock
        const now = () => wallClock.currentTimeMillisUnsafe()
        const presence = new Presence(Option.isSome(voice), now())
        const chat = new Chat(secret, () => presence.pageLeft(now()))
        const sound = Option.isSome(voice) ? new SoundWire() : null
        const id = yield* calls.receive({
          agent_id: visit.agent_id,
          variables: visit.variables,
          greeting: visit.greeting,
          written: sound === null,
          phone: null,
          line: ({ agent }) =>
            Option.isNone(voice) || sound === null
              ? ChatLine.make(chat, agent.first_message !== "")
              : VoiceLine.make(voice.value, visit.account.account.slug, agent, chat, sound),
          ended: (reason) => {
            presence.ended(now())
            chat.end(endOf(reason, presence.isIdle))
          },
        })
        // From now on the page may join. A page that does not join counts as away.
        presence.pageLeft(now())
        const { account, session } = visit
        const entry: Entry = { id, chat, sound, account: account.account.slug, session, presence }
        // Another conversation of the session may have begun while this one was admitted.
        endAllOf(session)
        entries.set(secret, entry)
        return entry
      }, Effect.uninterruptible)

      const look = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [secret, { chat, presence }] of entries) {
          presence.check(chat, now)
          if (presence.isForgotten(now)) entries.delete(secret)
        }
      })
      yield* look.pipe(Effect.delay(lookEvery), Effect.forever, Effect.forkScoped)

      return {
        begin,
        sound: Option.isSome(equipment) ? { heard: heardRate, spoken: spokenRate } : null,
        resume: (account, secret) => {
          const entry = entries.get(secret)
          return entry?.account === account.account.slug ? entry : undefined
        },
      }
    }),
  )
}

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

const endOf = (reason: EndReason, idle: boolean): ChatEnd =>
  idle && reason === "caller_hung_up" ? "silence" : (ends[reason] ?? "agent_error")
