/** Administration over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import * as AuditLog from "../audit/AuditLog.ts"
import * as MissingPrice from "../catalog/MissingPrice.ts"
import { Member } from "../domain/Member.ts"
import { etagOf } from "../domain/Revision.ts"
import { momentAs } from "../domain/Timestamp.ts"
import * as Administration from "../identity/Administration.ts"
import { Api } from "./Api.ts"
import { addPrefix, withEtag } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(Api, "admin", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => Administration.list(query),
    create: Effect.fnUntraced(function* ({ payload }) {
      yield* MissingPrice.checkDailyCap(payload)
      const { revision, ...body } = yield* Administration.create(payload)
      const location = yield* addPrefix(`/api/admin/accounts/${body.slug}`)
      return HttpApiSchema.withHeaders({ body, headers: { etag: etagOf(revision), location } })
    }),
    get: ({ params }) => Effect.map(Administration.find(params.slug), withEtag),
    update: Effect.fnUntraced(function* ({ headers, params, payload }) {
      yield* MissingPrice.checkDailyCap(payload)
      return withEtag(yield* Administration.update(params.slug, payload, headers["if-match"]))
    }),
    remove: ({ params }) => Administration.remove(params.slug),
    audit: ({ query: { from, to, ...filter } }) =>
      AuditLog.listOfPlatform({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
    members: ({ params, query }) => Administration.members(params.slug, query),
    putMember: Effect.fnUntraced(function* ({ params, payload: { role, ...naming } }) {
      const { created, member } = yield* Administration.putMember(params.slug, naming, role)
      return yield* Effect.orDie(HttpServerResponse.schemaJson(Member)(member, { status: created ? 201 : 200 }))
    }),
    removeMember: ({ params, query }) => Administration.removeMember(params.slug, query),
  }),
)
