/** The engine's services on a real database in virtual time, created once for many histories. */
import { Clock, type Context, Context as Contexts, Effect, type Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { AfterCall } from "../../src/calls/Calls.ts"
import { CampaignControl } from "../../src/campaigns/CampaignControl.ts"
import { CampaignSignals } from "../../src/campaigns/dialling/CampaignSignals.ts"
import * as ContactSettlement from "../../src/campaigns/dialling/ContactSettlement.ts"
import { Placement } from "../../src/cluster/Placement.ts"
import type { AgentId } from "../../src/domain/Agent.ts"
import type { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import { CurrentPrincipal } from "../../src/domain/Principal.ts"
import { Copy } from "../../src/tenancy/Copy.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { RulePacks } from "../../src/catalog/RulePacks.ts"
import { json } from "../../src/tenancy/Json.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount } from "../support/TestTenancy.ts"
import type { Caps, Truth } from "./Truth.ts"
import { begin, makeVirtual } from "./VirtualTime.ts"

type Services = CampaignControl | AfterCall | CampaignSignals | Placement | RulePacks
export type Here = SqlClient.SqlClient | CurrentTenant | CurrentPrincipal | Services

/** Each process takes up the campaigns that a history names. Placement decides nothing and informs no process. */
const placement = Layer.mock(Placement, {
  add: () => Effect.void,
  remove: () => Effect.void,
  claim: () => Effect.succeed(true),
})

const engine = Layer.mergeAll(CampaignControl.layer, ContactSettlement.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(CampaignSignals.layer, placement, RulePacks.layer)),
  Layer.provide(Layer.mock(Copy, {})),
)

export const layer = engine.pipe(Layer.provideMerge(CallsRoom.tenancy))

export interface World {
  readonly agent_id: AgentId
  readonly phone_number_id: PhoneNumberId
  readonly run: <A, E>(effect: Effect.Effect<A, E, Here>) => Promise<Exit.Exit<A, E>>
  /** Removes what the previous history left, except the agent and the number. */
  readonly reset: (truth: Truth) => Promise<void>
}

/**
 * Histories between two truncations. Deletions leave dead rows, which slow down reads. A truncation removes them, but
 * costs more than a deletion.
 */
const truncateEvery = 40

export const make = Effect.gen(function* () {
  const account = yield* newAccount(`m${crypto.randomUUID().slice(0, 8)}`)
  yield* makeVirtual(account)
  const tenant = yield* Effect.flatMap(TenantDatabases, (tenants) => tenants.open(account))
  const services = yield* Effect.context<Services>()
  const clock = yield* TestClock.make()
  const here: Context.Context<Here> = Contexts.merge(services, tenant).pipe(
    Contexts.add(CurrentPrincipal, {
      _tag: "ApiKey",
      id: "key",
      name: "history",
      scopes: ["write", "dial"],
      expires_at: null,
    }),
  )
  const inHistory = <A, E>(effect: Effect.Effect<A, E, Here>): Effect.Effect<A, E> =>
    effect.pipe(Effect.provideContext(here), Effect.provideService(Clock.Clock, clock), Effect.withTracerEnabled(false))
  const done = <A>(effect: Effect.Effect<A, unknown, Here>) => Effect.runPromise(inHistory(Effect.orDie(effect)))
  const { agent_id, phone_number_id } = yield* CallsRoom.equip.pipe(Effect.provideContext(here), Effect.orDie)
  let histories = 0

  const reset = Effect.fnUntraced(function* (truth: Truth) {
    const sql = yield* SqlClient.SqlClient
    if (++histories % truncateEvery === 0) {
      yield* sql`truncate campaigns, calls, suppressions, event_batches cascade`
    }
    yield* begin(truth.now, truth.zone)
    yield* setCaps(truth.caps)
    yield* clock.setTime(truth.now)
  })

  const world: World = {
    agent_id,
    phone_number_id,
    run: (effect) => Effect.runPromiseExit(inHistory(effect)),
    reset: (truth) => done(reset(truth)),
  }
  return world
})

/** Changes the caps as the copy of an administrator's change into the account's database does. */
export const setCaps = Effect.fnUntraced(function* (caps: Caps) {
  const sql = yield* SqlClient.SqlClient
  const { calls_per_day, calls_per_minute, concurrent_max } = caps
  yield* sql`
    update budget set concurrent_max = ${concurrent_max}, calls_per_minute = ${calls_per_minute},
      calls_per_day = ${calls_per_day}, calling_window = ${json(caps.calling_window)}`
})
