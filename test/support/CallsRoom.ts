/** The calls room on its own tenancy, with parts that a test can replace, and an account that can call. */
import { ConfigProvider, Effect, Layer, References, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { Brain } from "../../src/brain/Brain.ts"
import * as Brains from "../../src/brain/Brains.ts"
import { AfterCall, Calls, type Intent } from "../../src/calls/Calls.ts"
import { admit } from "../../src/calls/ledger/Admission.ts"
import { Cluster } from "../../src/cluster/Cluster.ts"
import { Node } from "../../src/cluster/Node.ts"
import { AgentId } from "../../src/domain/Agent.ts"
import { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import * as Recording from "../../src/recording/Room.ts"
import * as Carriers from "../../src/telephony/Carriers.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as Tenancy from "../../src/tenancy/Room.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { ToolRunner } from "../../src/tools/ToolRunner.ts"
import { rosa } from "./Kit.ts"
import { testConfig, testConfigLayer } from "./TestConfig.ts"

export interface Parts {
  readonly brain?: Layer.Layer<Brain>
  readonly after?: Layer.Layer<AfterCall>
  readonly runner?: Layer.Layer<ToolRunner>
  readonly env?: Record<string, string>
}

/** The process takes part in the cluster from the start. */
const joined = Layer.effectDiscard(Cluster.use(({ join }) => join)).pipe(
  Layer.provideMerge(Cluster.layer),
  Layer.provideMerge(Node.layer),
)

/** `Calls` and its node over an existing tenancy. Each use stands for another process. */
export const process = ({ after, brain, env = {}, runner }: Parts = {}) =>
  Layer.fresh(
    Calls.layer.pipe(
      Layer.provideMerge(Layer.merge(brain ?? Brains.layer, runner ?? ToolRunner.layerUnavailable)),
      Layer.provide([Carriers.layer, joined, Recording.layer]),
      Layer.provide(after ?? AfterCall.layerNone),
      Layer.provide(Layer.suspend(() => ConfigProvider.layer(testConfig({ LAB_SPEED: "60", ...env })))),
    ),
  )

export const tenancy = Tenancy.layer.pipe(Layer.provide(testConfigLayer()))

/** Failures that a test causes on purpose are logged as warnings, so log only what is fatal. */
const quietLog = Layer.succeed(References.MinimumLogLevel, "Fatal")

export const layer = (parts: Parts = {}) =>
  process(parts).pipe(Layer.provideMerge(tenancy), Layer.provideMerge(quietLog))

export const wide = { concurrent_max: 2_000, calls_per_minute: 100_000, calls_per_day: 100_000 }

/** Creates an agent without tools and a lab number, in the account of the fiber's `SqlClient`. */
export const equipWith = Effect.fnUntraced(function* (change: Readonly<Record<string, string | number>>) {
  const sql = yield* SqlClient.SqlClient
  const agent = {
    id: AgentId.make(uuidv7()),
    name: `agent-${uuidv7()}`,
    ...rosa,
    voice: json(rosa.voice),
    model: json(rosa.model),
    ...change,
  }
  const number = { id: PhoneNumberId.make(uuidv7()), number: "+14155550100", label: "", carrier: "lab" }
  yield* sql`insert into agents ${sql.insert(agent)}`
  yield* sql`insert into phone_numbers ${sql.insert({ ...number, carrier_config: json({}) })}`
  const intentTo = (to_number: string): Intent => ({
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: 1,
    phone_number_id: number.id,
    to_number,
    from_number: number.number,
    variables: {},
    campaign_id: null,
    contact_id: null,
    attempt_number: null,
    decision: null,
  })
  return { agent_id: agent.id, phone_number_id: number.id, intentTo }
})

export const equip = equipWith({})

/** Creates intents as a campaign does: with the check of the caps, in one transaction. */
export const intended = (intents: ReadonlyArray<Intent>) =>
  transaction(
    Effect.gen(function* () {
      const calls = yield* Calls
      const { admitted } = yield* admit(intents.length)
      return yield* calls.intend(intents.slice(0, admitted))
    }),
  )

export interface CallRow {
  readonly id: string
  readonly status: string
  readonly outcome: string | null
  readonly end_reason: string | null
  readonly to_number: string
}

export const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<CallRow>`select id, status, outcome, end_reason, to_number from calls order by to_number, started_at`
})

export const inUse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [budget] = yield* sql<{ in_use: number }>`select in_use from budget`
  return budget?.in_use
})

const schedule = Schedule.spaced("20 millis")

/** Waits, in real time, until the account has this many live calls. */
export const untilInUse = (count: number) => Effect.repeat(inUse, { schedule, until: (used) => used === count })

/** Waits, in real time, until the account has no live call. */
export const quiet = untilInUse(0)

/** Waits, in real time, until the process conducts no call. */
export const idle = Effect.flatMap(Calls, ({ active }) =>
  Effect.repeat(active, { schedule, until: (count) => count === 0 }),
)

/** Moves the beginning of these calls into the past, in every table that counts it. */
export const begunEarlier = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, seconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update calls set started_at = started_at - make_interval(secs => ${seconds}) where id = any(${[...ids]}::uuid[])`
  yield* sql`delete from call_seconds`
  yield* sql`
    insert into call_seconds
    select date_trunc('second', started_at), coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), count(*)
    from calls group by 1, 2`
})
