/** Databases of the operator's server that an account's role may connect to, and a warning about them at boot. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Finds which of `postgres` and `template1` every role may connect to, as PostgreSQL creates them. Other programs may
 * need that, so the operator closes them with `statements` (docs/database.md). Parley's own role keeps its access to
 * `postgres`. Undefined if both are closed.
 */
export const findOpen = Effect.fnUntraced(function* (maintenance: SqlClient.SqlClient) {
  const [open] = yield* maintenance<{ databases: ReadonlyArray<string>; role: string }>`
    select array_agg(distinct datname::text order by datname::text) as databases, quote_ident(current_user) as role
    from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
    where datname in ('postgres', 'template1') and datallowconn and grantee = 0 and privilege_type = 'CONNECT'
    having count(*) > 0`
  if (open === undefined) return undefined
  const { databases, role } = open
  const statements = [
    `revoke connect on database ${databases.join(", ")} from public;`,
    ...(databases.includes("postgres") ? [`grant connect on database postgres to ${role};`] : []),
  ].join(" ")
  return { databases, statements }
})

export const warnOfOpen = Effect.fnUntraced(function* (maintenance: SqlClient.SqlClient) {
  const open = yield* findOpen(maintenance)
  if (open === undefined) return
  yield* Effect.logWarning(
    "accounts' roles may connect to databases that let everyone in. If no other program needs them, run the statements as a superuser",
  ).pipe(Effect.annotateLogs({ ...open }))
})
