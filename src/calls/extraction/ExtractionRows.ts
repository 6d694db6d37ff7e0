/**
 * The extractions of an account as rows: taken under a lease, and then done, retried or given up. Each is enqueued by
 * the transaction that ends its call (`CallLog.end`).
 */
import { Data, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Model } from "../../domain/Agent.ts"
import { CallId, TranscriptEntry } from "../../domain/Call.ts"
import type { CallDisposition } from "../../domain/CallDisposition.ts"
import { Disposition } from "../../domain/Disposition.ts"
import type { ExtractionFailure } from "../../domain/Extraction.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { AfterCall } from "../ledger/AfterCall.ts"
import { transaction } from "../../tenancy/Transaction.ts"

/**
 * Longer than two answers of a model, which take 90 s at most. An extraction whose process was killed is due again
 * after this.
 */
const leaseSeconds = 180

const Owed = Schema.toType(
  Schema.Struct({
    call_id: CallId,
    /**
     * The number of this attempt, which is the fencing token: its conclusion is written only while no later attempt was
     * taken.
     */
    attempts: Schema.Int,
    started_at: Schema.Date,
    transcript: Schema.Array(Schema.Struct({ role: TranscriptEntry.fields.role, text: Schema.String })),
    /** The schema of the agent's version that conducted the call. Null, like `model`, if the agent was deleted. */
    outcome_schema: Schema.NullOr(Schema.JsonObject),
    dispositions: Schema.Array(Disposition),
    campaign_id: Schema.NullOr(Schema.String),
    model: Schema.NullOr(Model),
    prompts: Schema.Array(Schema.String),
  }),
)
export type Owed = typeof Owed.Type

/** Takes the extraction that has been due for longest; undefined if none is due. */
export const take = Effect.fn("ExtractionRows.take")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Owed)(sql`
    with chosen as (
      select call_id from extractions where state = 'pending' and due_at <= clock_timestamp()
      order by due_at limit 1 for update skip locked)
    update extractions x set attempts = x.attempts + 1,
      due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from chosen
      join calls c on c.id = chosen.call_id
      left join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version
      left join agent_contents k on k.agent_id = v.agent_id and k.digest = v.content_digest
    where x.call_id = chosen.call_id
    returning x.call_id, x.attempts, c.campaign_id, c.started_at, c.transcript,
      coalesce(k.content -> 'agent' -> 'dispositions', '[]') as dispositions,
      nullif(k.content -> 'agent' ->> 'outcome_schema', 'null')::json as outcome_schema, k.content -> 'agent' -> 'model' as model,
      array_remove(array[k.content -> 'agent' ->> 'system_prompt'] || array(
        select p -> 'definition' ->> 'prompt' from json_array_elements(k.content -> 'playbooks') p), null) as prompts`)
}, Effect.orDie)

/** Milliseconds until the next extraction is due; null if none is pending. */
export const nextDue = Effect.fn("ExtractionRows.nextDue")(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly in_ms: number | null }>`
    select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as in_ms
    from extractions where state = 'pending'`
  return row?.in_ms ?? null
}, Effect.orDie)

/** Gives the lease back at once: the attempt does not count. */
export const release = Effect.fn("ExtractionRows.release")(function* ({ attempts, call_id }: Owed) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update extractions set attempts = attempts - 1, due_at = clock_timestamp()
    where call_id = ${call_id} and attempts = ${attempts} and state = 'pending'`
}, Effect.orDie)

export type Conclusion =
  | {
      readonly state: "done"
      /** The values that were said. */
      readonly values: Schema.JsonObject
      /** Null if none was read. */
      readonly disposition: CallDisposition | null
      /** All fields that were asked for, in order, with the transcript's entry that each value was read from. */
      readonly fields: ReadonlyArray<{ readonly name: string; readonly entry: number | null }>
    }
  | { readonly state: "failed"; readonly reason: ExtractionFailure }
  | { readonly state: "pending"; readonly retry_in_ms: number }

/** Ends the campaign of the call if the disposition ended its last contact. */
interface Ending {
  readonly account: AccountSlug
  readonly after: AfterCall["Service"]
}

const endCampaign = ({ account, after }: Ending, id: string) =>
  Effect.flatMap(after.lockCampaigns(account, [id]), (campaigns) => after.settle([], campaigns))

/** Another process has taken the extraction since, or the call was deleted. */
class Superseded extends Data.TaggedError("Superseded") {}

/**
 * Writes the conclusion of an attempt, and adds the model's cost in US dollars to the call, its campaign and the
 * account's spending of the day. Returns false, and writes nothing, if the lease was lost. Locks are taken in the order
 * of an erasure: the budget if the day's spending or a contact changes, the campaign's progress, the call, its
 * extraction.
 */
export const conclude = Effect.fn("ExtractionRows.conclude")(
  function* ({ attempts, call_id, campaign_id }: Owed, conclusion: Conclusion, cost: number, ending: Ending) {
    const sql = yield* SqlClient.SqlClient
    const disposition = conclusion.state === "done" ? conclusion.disposition : null
    if (disposition !== null) yield* lockBudget()
    if (cost > 0) {
      // If the call began today, its cost counts against the account's daily cap.
      yield* sql`
        update budget set spent_today = spent_today + ${cost}::float8::numeric
        where exists (select from calls where id = ${call_id} and started_at >= budget.day_since)`
      yield* sql`
        update campaign_progress set cost = cost + ${cost}::float8::numeric,
          cost_parts = add_costs(cost_parts, ${json({ parts: { brain: cost } })}::jsonb)
        where campaign_id = (select campaign_id from calls where id = ${call_id})`
    }
    /** Rounded as the costs of calls are. */
    const plus = (part: Statement.Fragment) =>
      sql`round((coalesce((${part})::float8, 0) + ${cost}::float8)::numeric, 6)::float8`
    const values = conclusion.state === "done" ? conclusion.values : {}
    // What the agent recorded wins.
    yield* sql`
      update calls set
        result = case when ${json(values)}::jsonb = '{}' then result else ${json(values)}::jsonb || coalesce(result, '{}') end,
        cost = case when ${cost}::float8 = 0 then cost else cost || jsonb_build_object(
          'amount', ${plus(sql`cost ->> 'amount'`)}, 'currency', 'USD',
          'parts', coalesce(cost -> 'parts', '{}')
            || jsonb_build_object('brain', ${plus(sql`cost -> 'parts' ->> 'brain'`)})) end,
        disposition = disposition_after(disposition, ${disposition === null ? null : json(disposition)}::jsonb)
      where id = ${call_id}`
    const settled = yield* sql`
      update extractions set state = ${conclusion.state},
        reason = ${conclusion.state === "failed" ? conclusion.reason : null},
        fields = ${json(conclusion.state === "done" ? conclusion.fields : [])},
        due_at = clock_timestamp()
          + make_interval(secs => ${conclusion.state === "pending" ? conclusion.retry_in_ms / 1_000 : 0}),
        ended_at = case when ${conclusion.state} <> 'pending' then clock_timestamp() end
      where call_id = ${call_id} and attempts = ${attempts} and state = 'pending'
      returning 1`
    if (settled.length === 0) return yield* new Superseded()
    if (conclusion.state !== "pending") yield* sql`select events_append('call.extracted', array[${call_id}::uuid])`
    if (disposition !== null && campaign_id !== null) yield* endCampaign(ending, campaign_id)
    return true
  },
  transaction,
  Effect.catchTag("Superseded", () => Effect.succeed(false)),
  Effect.orDie,
)
