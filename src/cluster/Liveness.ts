/**
 * SQL conditions that tell which nodes are alive. Each node has a heartbeat and a session. A killed process loses its
 * session at once; a process that hangs keeps it. So a dead process is noticed soon, and a slow one is given time.
 */
import type { SqlClient, Statement } from "effect/sql"

/**
 * Seconds without a heartbeat after which a node counts as dead: `dead` if its session is lost, `silent` if its session
 * is still there.
 */
interface Patience {
  readonly dead: number
  readonly silent: number
  /**
   * Seconds after a start of the server in which no node counts as dead: the start ended all sessions, and each node
   * opens its own again within a second.
   */
  readonly afterStart: number
}

/**
 * The patience before a node's calls are settled: a live node that was cut off for a moment must not find its own calls
 * ended.
 */
const ofCalls: Patience = { dead: 3, silent: 15, afterStart: 0 }
/**
 * The patience before other nodes take over its campaigns and other sharded work. A node without a session gets none: if
 * it still lives, nothing is lost, because the epoch fences its diallers.
 */
const ofWork: Patience = { dead: 0, silent: 4, afterStart: 3 }
/** The patience for nodes of an earlier release: the same that they have for each other. */
const ofEarlier: Patience = { dead: 2, silent: 4, afterStart: 0 }

export interface Liveness {
  /** Whether the node of the row `nodes` is dead, so that its calls have to be settled. */
  readonly isGone: Statement.Fragment
  /** Whether the node of the row `nodes` has lost its sharded work: at once if its session is lost. */
  readonly hasLostWork: Statement.Fragment
  /**
   * Whether the node whose id is in this column is a living process of an earlier release that dials campaigns. Those
   * processes share campaigns by counting rows, and each keeps what it has.
   */
  readonly isWithEarlier: (column: string) => Statement.Fragment
}

/**
 * The conditions as the node `own` has to use them, which counts itself as alive. If it was cut off, the silence of
 * others counts from `hearsSince`.
 */
export const make = (sql: SqlClient.SqlClient, own: string, hearsSince: string): Liveness => {
  // The sessions are read once a statement (`in`), and not once a node, as with `exists` (decision 0075).
  // A server that has just started had cut off every node, so a node's silence counts from that start at the earliest.
  const isDead = ({ afterStart, dead, silent }: Patience) => sql`(
    nodes.seen_at = '-infinity' or
    greatest(nodes.seen_at, ${hearsSince}::timestamptz,
      pg_postmaster_start_time() + make_interval(secs => ${afterStart}::float8))
      < clock_timestamp() - make_interval(secs => case
        when 'parley:node:' || nodes.id in (select application_name from pg_stat_activity)
        then ${silent}::float8 else ${dead}::float8 end))`
  return {
    isGone: isDead(ofCalls),
    hasLostWork: sql`(nodes.id <> ${own} and ${isDead(ofWork)})`,
    isWithEarlier: (column) => sql`exists (
      select from nodes where nodes.id = ${sql.literal(column)} and nodes.dials and not nodes.is_runner
        and not ${isDead(ofEarlier)})`,
  }
}
