/** The tenancy room alone, with its own platform database on the run's PostgreSQL, and accounts to test with. */
import { type Context, Effect, Layer } from "effect"
import { AccountSlug, accountDefaults } from "../../src/domain/Account.ts"
import { type NewAccount, Provisioning } from "../../src/tenancy/Provisioning.ts"
import * as Tenancy from "../../src/tenancy/Room.ts"
import { type Tenant, TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { testConfigLayer } from "./TestConfig.ts"

/** `env` adds to the settings of a test and overrides them. */
export const layerWith = (env: Record<string, string> = {}) => Tenancy.layer.pipe(Layer.provide(testConfigLayer(env)))

export const layer = layerWith()

export const newAccount = (slug: string, settings: Partial<NewAccount> = {}) =>
  Effect.flatMap(Provisioning, (provisioning) =>
    provisioning.create({ ...accountDefaults, slug: AccountSlug.make(slug), name: slug, ...settings }),
  )

/** Runs `self` as a request of the account: with the account's database as `SqlClient`. */
export const within =
  (entry: Effect.Success<ReturnType<typeof newAccount>>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, TenantDatabases | Exclude<R, Tenant>> =>
    Effect.scoped(
      Effect.gen(function* () {
        const tenants = yield* TenantDatabases
        const context = yield* Effect.orDie(tenants.open(entry))
        return yield* Effect.provideContext(self, context as Context.Context<Tenant>)
      }),
    ) as Effect.Effect<A, E, TenantDatabases | Exclude<R, Tenant>>
