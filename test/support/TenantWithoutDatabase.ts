/** An account for code that asks whose work it does and touches no database: any statement fails the test. */
import { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { accountDefaults, AccountSlug } from "../../src/domain/Account.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"

export const tenantWithoutDatabase = (slug = "acme") =>
  Layer.merge(
    Layer.succeed(SqlClient.SqlClient, {} as SqlClient.SqlClient),
    Layer.succeed(CurrentTenant, {
      id: "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b",
      account: {
        ...accountDefaults,
        slug: AccountSlug.make(slug),
        name: slug,
        created_at: new Date("2026-11-21T10:00:00.000Z"),
      },
      revision: 1,
      database: "none",
      login: { role: "none", password: "none" },
      dataKey: new Uint8Array(32),
      schemaVersion: 1,
    }),
  )
