/**
 * Ends CREATE and ALTER DATABASE statements of killed processes. PostgreSQL does not notice at once that a client is
 * gone: a statement that waits for a lock would take effect later, after another process has undone it.
 */
import type { SqlClient } from "effect/sql"

/** How long to wait for the end of a session, in milliseconds. */
const mostMs = 10_000

/** The caller holds the lock under which such statements run, so no living process is at work on the database. */
export const endAbandoned = (admin: SqlClient.SqlClient, database: string) => admin`
  select pg_terminate_backend(pid, ${mostMs}) from pg_stat_activity
  where pid <> pg_backend_pid() and state = 'active' and pg_has_role(usesysid, 'usage')
    and query ~* '^\\s*(create|alter) database' and strpos(query, format('"%s"', ${database}::text)) > 0`
