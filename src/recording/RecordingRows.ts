/** The rows of recordings in an account's database. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CallId } from "../domain/Call.ts"
import type { RecordingPause } from "../domain/Recording.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"

const Found = Schema.toType(
  Schema.Struct({ host: Schema.String, is_stored: Schema.Boolean, has_ended: Schema.Boolean }),
)
export type RecordingRow = typeof Found.Type

/**
 * Writes the row of a recording, unless it is there: the answer to an earlier attempt may have been lost. Runs before
 * its file is created, so that no file is without a row.
 */
export const insert = Effect.fn("RecordingRows.insert")(function* (id: CallId, host: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into recordings ${sql.insert({ id, call_id: id, host })} on conflict (id) do nothing`
})

/** Deletes the row of a recording without sound. */
export const remove = Effect.fn("RecordingRows.remove")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from recordings where id = ${id}`
})

/** Marks the recording as stored in the object store. Returns false if the row was deleted meanwhile. */
export const setStored = Effect.fn("RecordingRows.setStored")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`update recordings set stored_at = now() where id = ${id} returning id`).length > 0
})

/** The recording of a call; undefined if there is none. */
export const find = Effect.fn("RecordingRows.find")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Found)(sql`
    select r.host, r.stored_at is not null as is_stored, c.ended_at is not null as has_ended
    from recordings r join calls c on c.id = r.call_id where r.id = ${id}`)
}, Effect.orDie)

/** Detaches recordings that are older than this from their calls, which then have no recording. */
export const detachOlderThan = Effect.fn("RecordingRows.detachOlderThan")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update recordings set call_id = null
    where call_id is not null and started_at < now() - make_interval(days => ${days})`
  yield* sql`update recordings set detached_at = now() where call_id is null and detached_at is null`
})

const Detached = Schema.toType(
  Schema.Struct({ id: Schema.String, host: Schema.String, is_stored: Schema.Boolean, is_old: Schema.Boolean }),
)
export type Detached = typeof Detached.Type

/** After this long, a missing file counts as deleted by other means, or its machine as gone. */
const waitsForMachineDays = 7

/** Finds recordings without a call, whose sound must be deleted: among these ids, or all of the account. */
export const findDetached = Effect.fn("RecordingRows.findDetached")(function* (among: ReadonlyArray<string> | "all") {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Detached)(sql`
    select id, host, stored_at is not null as is_stored,
      coalesce(detached_at < now() - make_interval(days => ${waitsForMachineDays}), false) as is_old
    from recordings
    where call_id is null and ${among === "all" ? sql.literal("true") : sql`id = any(${[...among]}::uuid[])`}`)
}, Effect.orDie)

/** Writes the pauses so far. `answered`: the request that is carried out with this; another one still waits. */
export const writePauses = Effect.fn("RecordingRows.writePauses")(function* (
  id: CallId,
  pauses: ReadonlyArray<RecordingPause>,
  answered: boolean | null,
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update recordings set pauses = ${json(pauses)}, wants_pause = nullif(wants_pause, ${answered}::boolean)
    where id = ${id}`
})

/**
 * Asks the process that conducts the call to pause or resume its recording. Returns false if the call has no recording.
 */
export const askToPause = Effect.fn("RecordingRows.askToPause")(function* (id: CallId, isPaused: boolean) {
  const sql = yield* SqlClient.SqlClient
  const asked = yield* sql`update recordings set wants_pause = ${isPaused} where id = ${id} returning id`
  return asked.length > 0
}, Effect.orDie)

/** Whether the request to pause or resume was carried out. */
export const isAnswered = Effect.fn("RecordingRows.isAnswered")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from recordings where id = ${id} and wants_pause is not null`).length === 0
}, Effect.orDie)

const Wanted = Schema.toType(Schema.Struct({ id: CallId, wants_pause: Schema.Boolean }))

/** Finds the requests of other processes to pause or resume the recordings of these calls. */
export const findWanted = Effect.fn("RecordingRows.findWanted")(function* (ids: ReadonlyArray<CallId>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Wanted)(sql`
    select id, wants_pause from recordings where id = any(${[...ids]}::uuid[]) and wants_pause is not null`)
}, Effect.orDie)
