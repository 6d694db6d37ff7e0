/** Adds new words, tools and turns to the rows of live calls. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { CallId } from "../../domain/Call.ts"
import { integers, jsons, uuids } from "../../tenancy/Columns.ts"

/** Records with words that their calls' rows do not have yet. */
export type News = ReadonlyMap<CallId, CallRecord>

/**
 * Returns the statement, and `added`, which the caller calls after the commit. The statement is idempotent, so it can
 * be repeated when the answer to a commit was lost. It does not change a call that has ended or that another process
 * owns.
 */
export const add = (node: string, news: News) => {
  const rows = [...news].map(([id, record]) => ({ id, record, ...record.news }))
  const statement = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update calls c set
        transcript = c.transcript || (w.words -> 'transcript'),
        tool_invocations = c.tool_invocations || (w.words -> 'tool_invocations'),
        turns = c.turns || (w.words -> 'turns'), cost = w.words -> 'cost',
        result = nullif(w.words -> 'result', 'null'),
        answered_by = nullif(w.words -> 'answered_by', 'null'),
        disclosure = nullif(w.words -> 'disclosure', 'null'),
        opt_out = nullif(w.words -> 'opt_out', 'null'),
        disposition = disposition_after(c.disposition, nullif(w.words -> 'disposition', 'null'))
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
