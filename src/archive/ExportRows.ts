/** The rows of exports in an account's database. */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hostname } from "node:os"
import { v7 as uuidv7 } from "uuid"
import { pageOf } from "../catalog/Listing.ts"
import { authorOf } from "../domain/AgentVersion.ts"
import { AccountExport, type ExportProgress } from "../domain/Export.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"

/** Seconds without progress after which the process that writes an export is considered dead. */
const lostAfterSeconds = 60
/** The number of exports whose rows are kept, the newest first. */
const mostListed = 100
export const keptHours = 24

export const withdrawn = "Data was erased from the account meanwhile. Order a new export."
const lost = "The process that wrote the archive has died. Order a new export."

/**
 * Stores an order in the caller's transaction. Ends exports of processes that died, and expires the earlier file. Fails
 * if an export is running.
 */
export const insert = Effect.fnUntraced(function* (hasRecordings: boolean, progress: ExportProgress) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock(hashtextextended('exports', 0))`
  yield* sql`
    update exports set status = 'failed', reason = ${lost}, ended_at = clock_timestamp()
    where status = 'running' and seen_at < clock_timestamp() - make_interval(secs => ${lostAfterSeconds})`
  const [running] = yield* sql`select from exports where status = 'running'`
  if (running !== undefined) {
    const detail = "An export of this account is running. Wait until it has ended."
    return yield* new InvalidState({ state: "running", detail })
  }
  yield* sql`update exports set status = 'expired' where status = 'completed'`
  const id = uuidv7()
  const principal = yield* Effect.serviceOption(CurrentPrincipal)
  const author = Option.isSome(principal) ? authorOf(principal.value) : null
  yield* sql`
    insert into exports (id, host, has_recordings, progress, created_by)
    values (${id}, ${hostname()}, ${hasRecordings}, ${json(progress)}, ${json(author)})`
  yield* sql`delete from exports where id not in (select id from exports order by id desc limit ${mostListed})`
  return id
})

/** Ends running exports and expires the completed one. Returns whether there was any. */
export const withdraw = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    update exports set
      reason = case when status = 'running' then ${withdrawn} end,
      ended_at = coalesce(ended_at, clock_timestamp()),
      status = case when status = 'running' then 'failed' else 'expired' end
    where status in ('running', 'completed') returning id`
  return ended.length > 0
}).pipe(Effect.orDie)

/** Records the progress of an export. Returns false if the export is no longer running. */
export const note = Effect.fnUntraced(function* (id: string, progress: ExportProgress) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update exports set progress = ${json(progress)}, seen_at = clock_timestamp()
    where id = ${id} and status = 'running' returning id`
  return rows.length > 0
}, Effect.orDie)

/** Completes an export. Returns false if the export is no longer running. */
export const complete = Effect.fnUntraced(function* (id: string, progress: ExportProgress, bytes: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update exports set status = 'completed', progress = ${json(progress)}, bytes = ${bytes}, ended_at = clock_timestamp(),
      expires_at = clock_timestamp() + make_interval(hours => ${keptHours})
    where id = ${id} and status = 'running' returning id`
  return rows.length > 0
}, Effect.orDie)

export const fail = Effect.fnUntraced(function* (id: string, progress: ExportProgress, reason: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update exports set status = 'failed', progress = ${json(progress)}, reason = ${reason}, ended_at = clock_timestamp()
    where id = ${id} and status = 'running'`
  return true
}, Effect.orDie)

/**
 * The columns of an export. It is shown as expired after its time, even before its file is deleted, and as failed if
 * its process died.
 */
const columns = `
  id, host, has_recordings as recordings, progress, bytes::float8 as bytes, created_by, created_at, expires_at,
  case when is_lost then seen_at else ended_at end as ended_at, case when is_lost then '${lost}' else reason end as reason,
  case when is_lost then 'failed' when status = 'completed' and expires_at < clock_timestamp() then 'expired'
    else status end as status`
const from = `
  (select *, status = 'running' and seen_at < clock_timestamp() - interval '${lostAfterSeconds} seconds' as is_lost
   from exports) e`

const Row = Schema.toType(AccountExport)
const RowWithHost = Schema.toType(Schema.Struct({ ...AccountExport.fields, host: Schema.String }))

export const findRow = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = isUuid(id)
    ? yield* Rows.first(RowWithHost)(
        sql`select ${sql.literal(columns)} from ${sql.literal(from)} where id = ${id}`,
      ).pipe(Effect.orDie)
    : undefined
  return row ?? (yield* new NotFound({ resource: "export", id }))
})

export const find = Effect.fn("Exports.find")(function* (id: string) {
  const { host: _, ...found } = yield* findRow(id)
  return found
})

/** The account's exports, newest first. */
export const list = Effect.fn("Exports.list")(function* (page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const found: Page<AccountExport> = yield* pageOf(
    { row: Row, columns: sql.literal(columns), from: sql.literal(from), where: [], order: sql.literal("id desc") },
    page,
  )
  return found
})
