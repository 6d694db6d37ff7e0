/** Runs statements and tools in an account's database, and holds its connections only while they run. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { ToolRunner } from "../../tools/ToolRunner.ts"

/** An account that cannot be opened is a defect. */
export type RunInAccount = (
  tenant: AccountEntry,
) => <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | CurrentTenant | ToolRunner>) => Effect.Effect<A, E>

export class InAccount extends Context.Service<InAccount, RunInAccount>()("calls/live/InAccount") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const tenants = yield* TenantDatabases
      const runner = yield* ToolRunner
      const run: RunInAccount = (tenant) => (effect) =>
        tenants.open(tenant).pipe(
          Effect.orDie,
          Effect.flatMap((context) => Effect.provideContext(effect, context)),
          Effect.provideService(ToolRunner, runner),
          Effect.scoped,
        )
      return run
    }),
  )
}
