/**
 * The stored answers to requests with an `Idempotency-Key`, which the installation's key seals
 * (`http/edge/Idempotency.ts`), in the platform's database and in each account's.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MasterKey } from "../tenancy/MasterKey.ts"
import * as Rows from "../tenancy/Rows.ts"

const Row = Schema.toType(
  Schema.Struct({ scope: Schema.String, key: Schema.String, body: Schema.Uint8Array, created_at: Schema.String }),
)

/** Rows in one round trip. An answer is a few kilobytes. */
const atOnce = 200

/**
 * Seals with the first key the answers that clients can still ask for, those of the last 24 hours. `owner` is the
 * account's id, or `platform`. A row is replaced only if it is unchanged since it was read, so that an answer that is
 * written meanwhile is not lost. Returns how many answers were sealed anew; in a dry run, how many would be.
 */
export const reseal = Effect.fnUntraced(function* (owner: string, isDryRun: boolean) {
  const sql = yield* SqlClient.SqlClient
  const master = yield* MasterKey
  let last = { created_at: "-infinity", scope: "", key: "" }
  let count = 0
  while (true) {
    const page = yield* Rows.all(Row)(sql`
      select scope, key, body, created_at::text as created_at from idempotency
      where created_at > now() - interval '24 hours'
        and (created_at, scope, key) > (${last.created_at}::timestamptz, ${last.scope}, ${last.key})
      order by created_at, scope, key limit ${atOnce}`)
    for (const { body, key, scope } of page) {
      const sealed = yield* Effect.sync(() => master.rewrap(`${owner} ${scope} ${key}`, body)).pipe(
        // Neither key opens the answer. It is lost to its client in any case, so the command does not fail for it.
        Effect.catchDefect(() => Effect.undefined),
      )
      if (sealed === undefined) continue
      if (!isDryRun) {
        yield* sql`
          update idempotency set body = ${sealed} where scope = ${scope} and key = ${key} and body = ${body}`
      }
      count++
    }
    const end = page.at(-1)
    if (end === undefined || page.length < atOnce) return count
    last = end
  }
})
