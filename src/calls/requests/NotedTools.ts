/**
 * Runs the tools of one talk that may change something outside as noted requests (`ToolRequests`). What was said while
 * the recording was paused is not noted.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AgentKit } from "../../catalog/AgentKit.ts"
import { type CallRecord, withoutContent } from "../../conversation/CallRecord.ts"
import { type CallId, notKept, type ToolInvocation } from "../../domain/Call.ts"
import { storable } from "../../domain/JsonValue.ts"
import type { Line } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as Invocation from "../../tools/Invocation.ts"
import type { ToolRunner } from "../../tools/ToolRunner.ts"
import type { ToolRequests } from "./ToolRequests.ts"

interface Around {
  /** Null if tools only have to run while the call lasts, as in a rehearsal. */
  readonly requests: Pick<ToolRequests["Service"], "run"> | null
  readonly tenant: AccountEntry
  readonly call_id: CallId
  readonly kit: AgentKit
  readonly record: CallRecord
  readonly line: Pick<Line, "moment">
}

type Invoking = Effect.Effect<ToolInvocation, never, ToolRunner | CurrentTenant | SqlClient.SqlClient>

export const make = ({ call_id, kit, line, record, requests, tenant }: Around) => {
  const outlives = (name: string): boolean =>
    requests !== null && kit.tools.some((tool) => tool.name === name && Invocation.actsOutside(tool))

  /** Runs `invoking`, which has this id. Interrupting the returned effect does not interrupt it. */
  const run = Effect.fnUntraced(function* (
    requests: Pick<ToolRequests["Service"], "run">,
    { args, id, name }: Invocation.Asked,
    invoking: Invoking,
  ) {
    const began = (yield* line.moment).at
    const isPaused = record.recording?.isPaused === true
    const tool = kit.tools.find((tool) => tool.name === name)
    const request = {
      id,
      call_id,
      tool_name: name,
      arguments: isPaused ? notKept : storable(args),
      is_repeatable: !isPaused && tool !== undefined && Invocation.isRepeatable(tool, args, record.digits),
    }
    const toKept = (done: ToolInvocation) =>
      Effect.map(line.moment, ({ at }) =>
        record.recording?.wasPaused(began, at) === true ? withoutContent(done) : done,
      )
    return yield* requests.run(tenant, request, { send: invoking, toKept })
  })

  return {
    /** Whether runs of the tool go on after the talk. */
    outlives,
    /** Runs a tool as a noted request; null if it is not one of those. */
    run: (asked: Invocation.Asked, invoking: Invoking): Effect.Effect<ToolInvocation> | null =>
      requests !== null && outlives(asked.name) ? run(requests, asked, invoking) : null,
  }
}
