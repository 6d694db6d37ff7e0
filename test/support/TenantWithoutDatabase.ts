/** An account for code that needs to know the account but not its database. Any statement fails the test. */
import { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { accountDefaults, AccountSlug } from "../../src/domain/Account.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"

/** A client without a transaction that fails at any statement. */
export const noDatabase = Layer.succeed(SqlClient.SqlClient, {
  transactionService: SqlClient.TransactionConnection(0),
} as SqlClient.SqlClient)

export const tenantWithoutDatabase = (slug = "acme") =>
  Layer.merge(
    noDatabase,
    Layer.succeed(CurrentTenant, {
      id: "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b",
      account: {
        ...accountDefaults,
        slug: AccountSlug.make(slug),
        name: slug,
        created_at: new Date("2026-11-21T10:00:00.000Z"),
      },
      revision: 1,
      server: null,
      database: "none",
      moving: null,
      login: { role: "none", password: "none" },
      isReadable: true,
      dataKey: new Uint8Array(32),
      schemaVersion: 1,
      servesFrom: 0,
    }),
  )
