/**
 * Conversations of this process with visitors of pages, in writing or by voice. Each is a call and counts in the caps.
 * A conversation outlives its socket for a while, so that the page can connect to it again. One in writing also outlives
 * its process (`Writing.ts`).
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { CapReached } from "../../domain/Cap.ts"
import type { UnknownReference } from "../../domain/Refusals.ts"
import type { SoundRates } from "../../domain/WidgetMessage.ts"
import { heardRate, spokenRate } from "../../speech/Audio.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import { Chat } from "../../telephony/browser/Chat.ts"
import { SoundWire } from "../../telephony/browser/SoundWire.ts"
import * as VoiceLine from "../../telephony/browser/VoiceLine.ts"
import { MediaClock } from "../../telephony/MediaClock.ts"
import type { SoundEquipment } from "../../telephony/SoundLine.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { Calls } from "../Calls.ts"
import { Presence } from "./Presence.ts"
import {
  endAllOf,
  endOf,
  enterAlone,
  type Entries,
  type Entry,
  type GivingUp,
  hashOf,
  keyOf,
  type LiveChat,
  newSecret,
  type Visit,
} from "./Visit.ts"
import * as Writing from "./Writing.ts"

export type { Chat, Page } from "../../telephony/browser/Chat.ts"
export type { Loudspeaker } from "../../telephony/browser/SoundWire.ts"
export { GivingUp, type LiveChat } from "./Visit.ts"

const checkEvery = "1 second"

export class Chats extends Context.Service<
  Chats,
  {
    readonly begin: (
      visit: Visit,
    ) => Effect.Effect<LiveChat, CapReached | UnknownReference | GivingUp, CurrentTenant | SqlClient.SqlClient>
    /**
     * Sample rates of voice conversations; null if no recogniser and voice are configured, and visitors can only write.
     */
    readonly sound: SoundRates | null
    /**
     * Finds the account's conversation by its secret. One in writing that this process does not conduct is taken over, if
     * `permit` succeeds. Undefined if it is unknown or already forgotten.
     */
    readonly resume: <E>(
      account: AccountEntry,
      secret: string,
      permit: Effect.Effect<void, E>,
    ) => Effect.Effect<LiveChat | undefined, GivingUp | E, CurrentTenant | SqlClient.SqlClient>
    /**
     * Gives up all conversations in writing, at once and for good: their pages connect to another process, which goes on
     * with them.
     */
    readonly giveUp: Effect.Effect<void>
  }
>()("calls/visitors/Chats") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const calls = yield* Calls
      const entries: Entries = new Map()
      const clock = yield* MediaClock
      const equipment = Option.map(yield* lineSpeech, (speech): SoundEquipment => ({ ...speech, clock }))
      const writing = yield* Writing.make(calls, entries)

      const beginByVoice = Effect.fnUntraced(function* (visit: Visit, equipment: SoundEquipment) {
        const secret = newSecret()
        const wallClock = yield* Clock.Clock
        const now = () => wallClock.currentTimeMillisUnsafe()
        const presence = new Presence(true, now())
        const chat = new Chat(secret, () => presence.pageLeft(now()), false)
        const sound = new SoundWire()
        const id = yield* calls.receive({
          agent_id: visit.agent_id,
          variables: visit.variables,
          greeting: visit.greeting,
          written: null,
          phone: null,
          line: ({ agent }) => VoiceLine.make(equipment, visit.account.account.slug, agent, chat, sound),
          ended: (reason) => {
            presence.ended(now())
            chat.end(endOf(reason, presence.isIdle))
          },
        })
        // From now on the page may join. A page that does not join counts as away.
        presence.pageLeft(now())
        const { account, session } = visit
        const entry: Entry = { id, chat, sound, moved: Effect.never, account: account.account.slug, session, presence }
        enterAlone(entries, keyOf(hashOf(secret)), entry)
        return entry
      })

      // Uninterruptible: if the page is lost before the call has its entry, nothing would end the call.
      const begin = Effect.fn("Chats.begin")(function* (visit: Visit) {
        endAllOf(entries, visit.session)
        yield* calls.endChatsElsewhere(visit.session)
        return visit.mode === "voice" && Option.isSome(equipment)
          ? yield* beginByVoice(visit, equipment.value)
          : yield* writing.begin(visit)
      }, Effect.uninterruptible)

      const look = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [key, { chat, presence }] of entries) {
          presence.check(chat, now)
          if (presence.isForgotten(now)) entries.delete(key)
        }
      })
      yield* look.pipe(Effect.delay(checkEvery), Effect.forever, Effect.forkScoped)

      return {
        begin,
        sound: Option.isSome(equipment) ? { heard: heardRate, spoken: spokenRate } : null,
        resume: writing.resume,
        giveUp: writing.giveUp,
      }
    }),
  )
}
