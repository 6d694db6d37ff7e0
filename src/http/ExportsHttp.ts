/** Exports over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ExportRows from "../archive/ExportRows.ts"
import { Exports } from "../archive/Exports.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Api } from "./Api.ts"
import { ReleaseTenant } from "./edge/Authentication.ts"
import { answerRanged } from "./edge/Range.ts"
import { withLocation } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "exports",
  Effect.fnUntraced(function* (handlers) {
    const { begin, open } = yield* Exports
    return handlers.handleAll({
      begin: ({ payload }) =>
        Effect.flatMap(begin(payload), (begun) => withLocation(`/api/v1/exports/${begun.id}`, begun)),
      list: ({ query }) => ExportRows.list(query),
      get: ({ params }) => ExportRows.find(params.id),
      file: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* ExportRows.find(params.id)
        const { account } = yield* CurrentTenant
        const { bytes, read } = yield* open(id)
        yield* Effect.orDie(AuditTrail.write())
        // The file is on the disk, so a client that reads it slowly need not hold the database.
        yield* yield* ReleaseTenant
        return yield* answerRanged({
          bytes,
          read,
          etag: `"${id}"`,
          contentType: "application/gzip",
          headers: {
            "cache-control": "no-store",
            "content-disposition": `attachment; filename="${account.slug}-${id}.tar.gz"`,
          },
        })
      }),
    })
  }),
)
