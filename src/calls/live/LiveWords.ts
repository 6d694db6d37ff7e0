/**
 * What is said and done on live calls, written while they live, so that a process that is killed takes a second or two of it
 * along and no more: one statement a second for all calls of an account that have news. A call's end writes all of it once more.
 */
import { Clock, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId } from "../../domain/Call.ts"
import { integers, jsons, uuids } from "../../tenancy/Columns.ts"
import type { LiveCall } from "./LiveCall.ts"

const every = "1 second"
/** A call that is over by then has its words written once, with its end: most that are answered by nobody who talks. */
const firstAfterMs = 2_000

/** By call, whose record has more than its row. */
export type News = ReadonlyMap<CallId, CallRecord>

interface Parts {
  readonly live: ReadonlyMap<CallId, LiveCall>
  readonly tell: (account: AccountSlug, news: News) => Effect.Effect<void>
}

/** Gathers the news of all live calls of this process. */
export const gather = ({ live, tell }: Parts) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const news = new Map<AccountSlug, Map<CallId, CallRecord>>()
    for (const [id, { lost, record, tenant }] of live) {
      if (lost || record === undefined || !record.hasNews) continue
      if (record.answered_at === null || now - record.answered_at.getTime() < firstAfterMs) continue
      const { slug } = tenant.account
      news.set(slug, (news.get(slug) ?? new Map<CallId, CallRecord>()).set(id, record))
    }
    for (const [account, ofAccount] of news) yield* tell(account, ofAccount)
  }).pipe(Effect.repeat(Schedule.spaced(every)))

/**
 * The statement that adds the news to their rows, and what to do when it has. Tried again after a commit that nobody heard
 * of, it finds them there; of a call that has ended, or is another process's, there is nothing to add.
 */
export const adding = (node: string, news: News) => {
  const rows = [...news].map(([id, record]) => ({ id, record, ...record.news }))
  const statement = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update calls c set
        transcript = c.transcript || (w.words -> 'transcript'),
        tool_invocations = c.tool_invocations || (w.words -> 'tool_invocations'),
        turns = c.turns || (w.words -> 'turns'), cost = w.words -> 'cost',
        result = nullif(w.words -> 'result', 'null')
      from unnest(${uuids(rows.map(({ id }) => id))}, ${integers(rows.map(({ from }) => from.transcript))},
                  ${integers(rows.map(({ from }) => from.tool_invocations))},
                  ${integers(rows.map(({ from }) => from.turns))}, ${jsons(rows.map(({ words }) => words))})
        as w(id, said, invoked, taken, words)
      where c.id = w.id and c.node_id = ${node} and c.ended_at is null
        and jsonb_array_length(c.transcript) = w.said and jsonb_array_length(c.tool_invocations) = w.invoked
        and jsonb_array_length(c.turns) = w.taken`
  })
  return { statement, added: () => rows.forEach(({ record, to }) => record.keep(to)) }
}
