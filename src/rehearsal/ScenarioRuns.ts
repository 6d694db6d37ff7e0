/**
 * Rehearsals of an agent: runs scenarios against one of its versions, in the background, a few calls at a time, and
 * stores their results. No phone rings.
 */
import { Clock, Context, Effect, FiberSet, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { Brain } from "../brain/Brain.ts"
import { Models } from "../brain/model/Models.ts"
import { InAccount } from "../calls/live/InAccount.ts"
import type { AgentKit } from "../catalog/AgentKit.ts"
import * as Kit from "../catalog/AgentKit.ts"
import * as Agents from "../catalog/Agents.ts"
import { pageOf } from "../catalog/Listing.ts"
import { authorOf } from "../domain/AgentVersion.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import {
  type Crowded,
  Invalid,
  invalid,
  InvalidState,
  type NotFound,
  notFoundInAgent,
  type TooCostly,
  tooCostly,
} from "../domain/Refusals.ts"
import {
  mostCalls,
  type NewScenarioRun,
  type Scenario,
  type ScenarioResult,
  ScenarioRun,
  ScenarioRunSummary,
} from "../domain/Scenario.ts"
import * as Offload from "../offload/Offload.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import type { ToolRunner } from "../tools/ToolRunner.ts"
import { inspecting } from "./Patterns.ts"
import * as ScenarioCall from "./ScenarioCall.ts"

/** The number of concurrent calls of one run. Each call's tools may hold one of the account's four transactions. */
const callsAtOnce = 2
/**
 * The concurrent scenario calls of this process. Two runs of an account have four calls at once, so an account's queue
 * is never full.
 */
const shares: FairSemaphore.Limits = { what: "scenario calls", places: 16, waiting: 16 }
/** The maximum number of concurrent runs of one account. */
const runsAtOnce = 2
/** The time limit of a run, in real time. */
const longestSeconds = 900
/** The retries of the write of a run's end. They take up to 26 s, within the 30 s between time limit and deadline. */
const storedAgain = { schedule: Schedule.exponential("100 millis"), times: 8 }
/** The maximum number of runs that are kept of one agent. The oldest are deleted. */
const mostKept = 100

type Here = SqlClient.SqlClient | CurrentTenant

export class ScenarioRuns extends Context.Service<
  ScenarioRuns,
  {
    /** Stores the run, and begins it after the commit. */
    readonly begin: (
      agentIdOrName: string,
      request: NewScenarioRun,
    ) => Effect.Effect<ScenarioRun, NotFound | Invalid | InvalidState | TooCostly | Crowded, Here>
  }
>()("rehearsal/ScenarioRuns") {
  static readonly layer = Layer.effect(
    this,
    Effect.suspend(() => make),
  ).pipe(Layer.provide(Models.layer))
}

const make = Effect.gen(function* () {
  const inAccount = yield* InAccount
  const { withPlace } = yield* FairSemaphore.make(shares)
  const fibers = yield* FiberSet.make<void>()
  // The layer's own context: a run must not inherit the transaction of the fiber that requests it.
  const start = yield* FiberSet.runtime(fibers)<Brain | Models | ToolRunner>()

  const run = (tenant: AccountEntry, id: string, kit: AgentKit, scenarios: ReadonlyArray<Scenario>) => {
    const results: Array<ScenarioResult | undefined> = []
    const finished = () => results.filter((result) => result !== undefined)
    const store = (status: ScenarioRun["status"]) => inAccount(tenant)(keep(id, status, finished()))
    const stage = { tenant, kit, inAccount }
    const one = Effect.fnUntraced(function* (scenario: Scenario, at: number) {
      const attempts = Array.from({ length: scenario.repeat ?? 1 }, (_, attempt) => attempt + 1)
      const calls = yield* Effect.forEach(attempts, (attempt) =>
        Effect.provideService(ScenarioCall.hold(stage, scenario, attempt), CurrentTenant, tenant).pipe(
          withPlace(tenant.account.slug),
          Effect.orDie,
        ),
      )
      const calls_passed = calls.filter(({ passed }) => passed).length
      results[at] = { name: scenario.name, passed: calls_passed === calls.length, calls_passed, calls }
      // What could not be stored is stored with the next results, or at the end.
      yield* Effect.catchCause(store("running"), (cause) =>
        Effect.logWarning("storing the results of a scenario run so far failed", cause),
      )
    })
    return Effect.forEach(scenarios, one, { concurrency: callsAtOnce, discard: true }).pipe(
      Effect.timeoutOption(longestSeconds * 1_000),
      Effect.map((ended) => (ended._tag === "Some" ? "completed" : "interrupted")),
      // Its row would otherwise hold one of the account's places until its deadline.
      Effect.catchCause((cause) => Effect.as(Effect.logError("a scenario run failed", cause), "interrupted" as const)),
      Effect.flatMap((status) => Effect.retry(store(status), storedAgain)),
      Effect.onInterrupt(() => store("interrupted")),
      Effect.catchCause((cause) => Effect.logError("storing a scenario run failed", cause)),
      Effect.annotateLogs({ scenario_run: id }),
    )
  }

  const begin = Effect.fn("ScenarioRuns.begin")(
    function* (agentIdOrName: string, request: NewScenarioRun) {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* CurrentTenant
      const agent = yield* Agents.find(agentIdOrName, "for key share")
      const kit = yield* Kit.find(agent.id, request.version).pipe(
        Effect.mapError(() => invalid("/version", `is not a version of the agent ${agent.name}`)),
      )
      const scenarios = (request.scenarios ?? (yield* lastOf(agent))).map((scenario) => ({
        ...scenario,
        repeat: scenario.repeat ?? request.repeat ?? 1,
      }))
      yield* refuseFaults(scenarios)
      const id = yield* insert(kit.agent, scenarios)
      yield* sql.afterCommit(Effect.sync(() => void start(run(tenant, id, kit, scenarios))))
      return yield* Effect.catchTag(find(agent.id, id), "NotFound", Effect.die)
    },
    transaction,
    Effect.catchTag("SqlError", Effect.die),
  )
  return ScenarioRuns.of({ begin })
})

/**
 * Stores a run of the agent's version, and returns its id. A lock makes the account's requests for runs wait for each
 * other.
 */
const insert = Effect.fnUntraced(function* (agent: AgentKit["agent"], scenarios: ReadonlyArray<Scenario>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock(hashtextextended('scenario_runs', 0))`
  const [active] = yield* sql<{ count: number }>`
    select count(*)::int from scenario_runs where status = 'running' and clock_timestamp() < deadline`
  if ((active?.count ?? 0) >= runsAtOnce) {
    const detail = `${runsAtOnce} scenario runs of this account are running; wait until one has ended`
    return yield* new InvalidState({ state: "running", detail })
  }
  const id = uuidv7()
  const principal = yield* Effect.serviceOption(CurrentPrincipal)
  const author = principal._tag === "Some" ? authorOf(principal.value) : null
  yield* sql`
    insert into scenario_runs (id, agent_id, agent_version, scenarios, created_by, deadline)
    values (${id}, ${agent.id}, ${agent.version}, ${json(scenarios)}, ${json(author)},
      clock_timestamp() + make_interval(secs => ${longestSeconds + 30}))`
  yield* sql`
    delete from scenario_runs where agent_id = ${agent.id} and id not in (
      select id from scenario_runs where agent_id = ${agent.id} order by id desc limit ${mostKept})`
  return id
})

const refuseFaults = Effect.fnUntraced(function* (scenarios: ReadonlyArray<Scenario & { readonly repeat: number }>) {
  const faults = yield* Effect.catchTag(Offload.run(inspecting, scenarios), "Overrun", () =>
    tooCostly("/scenarios", "have regular expressions that take too long to read. Make them simpler, or fewer."),
  )
  const errors = [...faults]
  const seen = new Set<string>()
  for (const [at, { name }] of scenarios.entries()) {
    if (seen.has(name)) errors.push({ pointer: `/scenarios/${at}/name`, detail: "is the name of another scenario" })
    seen.add(name)
  }
  const calls = scenarios.reduce((sum, { repeat }) => sum + repeat, 0)
  if (calls > mostCalls)
    errors.push({ pointer: "/scenarios", detail: `add up to ${calls} calls; a run may have at most ${mostCalls}` })
  if (errors.length > 0) return yield* new Invalid({ errors })
})

/** The scenarios of the agent's last run, which a new version should pass too. */
const lastOf = Effect.fnUntraced(function* ({ id, name }: Agents.AgentRow) {
  const sql = yield* SqlClient.SqlClient
  const last = yield* Rows.first(Row)(sql`
    select ${sql.literal(columns)}, scenarios, results from scenario_runs r
    where agent_id = ${id} order by id desc limit 1`).pipe(Effect.orDie)
  return last?.scenarios ?? (yield* invalid("/scenarios", `are required: the agent ${name} has no earlier run`))
})

const keep = (id: string, status: ScenarioRun["status"], results: ReadonlyArray<ScenarioResult>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const passed = results.filter((result) => result.passed).length
    const ended_at = status === "running" ? null : new Date(yield* Clock.currentTimeMillis)
    yield* sql`
      update scenario_runs set status = ${status}, results = ${json(results)}, passed = ${passed},
        failed = ${results.length - passed}, ended_at = ${ended_at}
      where id = ${id}`
  })

/** The times in the columns of a row are dates; the times inside its JSON are texts. */
const dates = { created_at: Schema.Date, ended_at: Schema.NullOr(Schema.Date) }
const SummaryRow = Schema.Struct({ ...ScenarioRunSummary.fields, ...dates })
const Row = Schema.Struct({ ...ScenarioRun.fields, ...dates })

/** The columns of a run. A run whose process died counts as interrupted after its deadline. */
const columns = `
  r.id, r.agent_id, r.agent_version, r.created_by, r.created_at, r.ended_at,
  case when r.status = 'running' and clock_timestamp() > r.deadline then 'interrupted' else r.status end as status,
  case when r.status <> 'running' or clock_timestamp() > r.deadline
    then r.passed = jsonb_array_length(r.scenarios) end as passed,
  json_build_object('scenarios', jsonb_array_length(r.scenarios), 'passed', r.passed, 'failed', r.failed) as counts`

export const find = Effect.fn("ScenarioRuns.find")(function* (agentIdOrName: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  const row = isUuid(id)
    ? yield* Rows.first(Row)(sql`
        select ${sql.literal(columns)}, r.scenarios, r.results from scenario_runs r
        where r.agent_id = ${agent.id} and r.id = ${id}`).pipe(Effect.orDie)
    : undefined
  return row ?? (yield* notFoundInAgent("scenario run", agent, id))
})

/** The agent's runs, newest first. */
export const list = Effect.fn("ScenarioRuns.list")(function* (agentIdOrName: string, page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  const found: Page<ScenarioRunSummary> = yield* pageOf(
    {
      row: SummaryRow,
      columns: sql.literal(columns),
      from: sql.literal("scenario_runs r"),
      where: [sql`r.agent_id = ${agent.id}`],
      order: sql.literal("r.id desc"),
    },
    page,
  )
  return found
})
