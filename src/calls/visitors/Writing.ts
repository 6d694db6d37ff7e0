/**
 * Conversations in writing: begins them, goes on with those of other processes, and gives them up when this process
 * stops. Any process may go on with one, because its row and its call's row have everything (`ledger/ChatRows.ts`).
 */
import { Clock, Deferred, Effect, Semaphore } from "effect"
import * as PastTalk from "../../conversation/PastTalk.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import { Chat } from "../../telephony/browser/Chat.ts"
import * as ChatLine from "../../telephony/browser/ChatLine.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { Calls } from "../Calls.ts"
import type { TakenChat } from "../ledger/ChatRows.ts"
import type { Arrival, Written } from "../live/Arrival.ts"
import { Presence } from "./Presence.ts"
import { endOf, enterAlone, type Entries, type Entry, GivingUp, hashOf, keyOf, newSecret, type Visit } from "./Visit.ts"

export const make = Effect.fnUntraced(function* (calls: Calls["Service"], entries: Entries) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  /** Of two sockets of one page, one takes the conversation over. */
  const oneByOne = makeOneByOne()
  const takeOver = makeTakeOver(calls, entries, now)
  let isGivingUp = false

  const begin = Effect.fnUntraced(function* (visit: Visit) {
    if (isGivingUp) return yield* new GivingUp()
    const secret = newSecret()
    const secret_hash = hashOf(secret)
    const { chat, ended, enter, released } = converse(entries, now, keyOf(secret_hash), secret, visit)
    const { agent_id, greeting, session, variables } = visit
    const id = yield* calls.receive({
      agent_id,
      variables,
      greeting,
      written: { chat, row: { secret_hash, session, greeting }, past: null, released },
      phone: null,
      line: ({ agent }) => ChatLine.make(chat, agent.first_message !== "", null),
      ended,
    })
    if (isGivingUp) yield* calls.giveUp([id])
    return enter(id)
  })

  const resume = Effect.fnUntraced(function* <E>(
    account: AccountEntry,
    secret: string,
    permit: Effect.Effect<void, E>,
  ) {
    if (isGivingUp) return yield* new GivingUp()
    const key = keyOf(hashOf(secret))
    const find = Effect.suspend(() => {
      const entry = findKnown(entries, account, key)
      // Another process may have taken the conversation over since, so the rows are asked even for one that is known, and
      // for one that ended here: if it was taken over before, it has not ended.
      return entry !== undefined && entry.sound !== null ? Effect.succeed(entry) : takeOver(account, secret, permit)
    })
    const entry = yield* oneByOne(key, find)
    if (entry !== undefined && isGivingUp) yield* calls.giveUp([entry.id])
    return entry
  })

  return {
    begin,
    resume,
    giveUp: Effect.suspend(() => {
      isGivingUp = true
      return calls.giveUp([...entries.values()].flatMap(({ id, sound }) => (sound === null ? [id] : [])))
    }),
  }
})

const findKnown = (entries: Entries, account: AccountEntry, key: string) => {
  const entry = entries.get(key)
  return entry?.account === account.account.slug ? entry : undefined
}

/** Returns the function that takes over a conversation of the account, unless this process conducts it. */
const makeTakeOver = (calls: Calls["Service"], entries: Entries, now: () => number) =>
  // Uninterruptible: if the page is lost before the call has its entry, nothing would end the call.
  Effect.fnUntraced(function* <E>(account: AccountEntry, secret: string, permit: Effect.Effect<void, E>) {
    const secret_hash = hashOf(secret)
    const key = keyOf(secret_hash)
    let enter: ((id: CallId) => Entry) | undefined
    const arrivalOf = (row: TakenChat) => {
      const conversation = converse(entries, now, key, secret, { account, session: row.session })
      enter = conversation.enter
      return toArrival(row, conversation)
    }
    const here = yield* calls.takeOverChat(secret_hash, arrivalOf, permit)
    if (here?.taken === true) return enter?.(here.id)
    const entry = findKnown(entries, account, key)
    // A conversation that ended here tells its page how.
    return here !== undefined || entry?.chat.isOver === true ? entry : undefined
  }, Effect.uninterruptible)

/** Returns the function that runs effects of one key one after the other. */
const makeOneByOne = () => {
  const waiting = new Map<string, { readonly semaphore: Semaphore.Semaphore; count: number }>()
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const place = waiting.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), count: 0 }
      waiting.set(key, place)
      place.count++
      const leave = Effect.sync(() => {
        if (--place.count === 0) waiting.delete(key)
      })
      return Effect.ensuring(place.semaphore.withPermits(1)(effect), leave)
    })
}

/** Makes a conversation with what its call needs of it. `enter` adds it to the entries. */
const converse = (
  entries: Entries,
  now: () => number,
  key: string,
  secret: string,
  { account, session }: Pick<Visit, "account" | "session">,
) => {
  const presence = new Presence(false, now())
  const chat = new Chat(secret, () => presence.pageLeft(now()), true)
  const moved = Deferred.makeUnsafe<void>()
  return {
    chat,
    presence,
    released: (why: Parameters<Written["released"]>[0]) => {
      // The conversation may be back here already.
      if (entries.get(key)?.chat === chat) entries.delete(key)
      if (why === "moved") Deferred.doneUnsafe(moved, Effect.void)
      else if (why === "taken") chat.replace()
      else chat.end("interrupted")
    },
    ended: (reason: EndReason) => {
      presence.ended(now())
      chat.end(endOf(reason, presence.isIdle))
    },
    enter: (id: CallId) => {
      // From now on the page may join. A page that does not join counts as away.
      presence.pageLeft(now())
      const slug = account.account.slug
      const entry: Entry = { id, chat, sound: null, moved: Deferred.await(moved), account: slug, session, presence }
      enterAlone(entries, key, entry)
      return entry
    },
  }
}

/** The conversation of another process, as it goes on here. */
const toArrival = (row: TakenChat, { chat, ended, presence, released }: ReturnType<typeof converse>): Arrival => {
  // If nothing was said, the agent still has to greet.
  const past = row.transcript.length === 0 ? null : { ...row, answered_at: answeredAt(row) }
  chat.continueFrom(row.transcript, row.message_ids)
  const last = row.transcript.at(-1)
  if (last !== undefined) presence.continueFrom(chat.lines.length, last.at.getTime())
  if (past !== null && PastTalk.from({ ...past, disclosure: null }).owed !== null) chat.think()
  return {
    agent_id: row.agent_id,
    variables: row.variables ?? {},
    greeting: row.greeting,
    written: { chat, row: null, past, released },
    phone: null,
    line: ({ agent }) => ChatLine.make(chat, agent.first_message !== "" && past === null, answeredAt(row)),
    ended,
  }
}

/** When the conversation began. A process may be killed after the first words and before it has written the answer. */
const answeredAt = ({ answered_at, transcript }: TakenChat): Date | null => answered_at ?? transcript[0]?.at ?? null
