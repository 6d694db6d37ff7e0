/** The results of tools that another process ran in a talk which goes on here. */
import { Clock, Effect } from "effect"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { ToolInvocation } from "../../domain/Call.ts"

/** Waits for results, and adds those that are not in the record yet, so that the model does not ask for the same again. */
export const take = Effect.fnUntraced(function* (
  record: CallRecord,
  awaited: Effect.Effect<ReadonlyArray<ToolInvocation>>,
) {
  const results = yield* awaited
  const known = new Set(record.tool_invocations.map(({ id }) => id))
  const answered_at = record.answered_at?.getTime() ?? 0
  const elapsed = (yield* Clock.currentTimeMillis) - answered_at
  for (const result of results) if (!known.has(result.id)) record.invoked(result, elapsed)
})
