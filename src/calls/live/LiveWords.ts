/**
 * Writes the words of live calls, so that a killed process loses at most a second or two of them. One statement a
 * second writes all changed calls of an account. A call's end writes all of its words again. Conversations in writing are
 * written at once instead (`ChatWords`).
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import type { News } from "../ledger/CallWords.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { LiveCall } from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

const every = "1 second"
/**
 * Words are first written this long after the answer. A shorter call writes them once, with its end. Most calls without
 * a conversation are shorter.
 */
const firstAfterMs = 2_000

interface Gathering {
  readonly live: ReadonlyMap<CallId, LiveCall>
  readonly write: (account: AccountSlug, news: News) => Effect.Effect<void>
}

/** Every second, passes the changes in each account's calls to `write`. */
export const gather = ({ live, write }: Gathering) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const news = new Map<AccountSlug, Map<CallId, CallRecord>>()
    for (const [id, { lost, record, tenant }] of live) {
      if (lost || record === undefined || record.changed !== null || !record.hasNews) continue
      if (record.answered_at === null || now - record.answered_at.getTime() < firstAfterMs) continue
      const { slug } = tenant.account
      news.set(slug, (news.get(slug) ?? new Map<CallId, CallRecord>()).set(id, record))
    }
    for (const [account, ofAccount] of news) yield* write(account, ofAccount)
  }).pipe(Effect.repeat(Schedule.spaced(every)))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all: live } = yield* LiveCalls
    const { words: write } = yield* CallWriter
    yield* Effect.forkScoped(gather({ live, write }))
  }),
)
