/**
 * The floor of the http benchmark: HttpApi and sql-pg without anything of Parley. The same check of the key, the same
 * statements, and the row through the same schema, but no edge, no limits, and no closing of pools.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import { Faq } from "../../../src/domain/Faq.ts"
import { Page, pageQuery } from "../../../src/domain/Page.ts"
import { withEtag, Tagged } from "../../../src/http/edge/Resource.ts"
import * as Work from "./Work.ts"

const asked = { headers: { authorization: Schema.String, "x-account-id": Schema.String } }

class FaqsApi extends HttpApiGroup.make("faqs")
  .add(HttpApiEndpoint.get("get", "/api/faqs/:id", { params: { id: Schema.String }, ...asked, success: Tagged(Faq) }))
  .add(HttpApiEndpoint.get("list", "/api/faqs", { query: pageQuery(), ...asked, success: Page(Faq) })) {}
class Api extends HttpApi.make("floor").add(FaqsApi).annotate(HttpApi.SuccessParseOptions, { disableChecks: true }) {}

const Row = Schema.toType(Schema.Struct({ ...Faq.fields, revision: Schema.Int }))
const rowsOf = Schema.decodeUnknownEffect(Schema.Array(Row))

const admit = Effect.fnUntraced(function* (headers: Work.Headers) {
  const sql = yield* SqlClient.SqlClient
  const presented = Work.presentedBy(headers)
  const [kept] = yield* sql<Work.KeptKey>`
    select secret_hash, scopes, coalesce(expires_at > now(), true) as is_live from api_keys where key_id = ${presented.key_id}`
  Work.check(kept, presented)
  return sql
})

const groups = HttpApiBuilder.group(Api, "faqs", (handlers) =>
  handlers.handleAll({
    get: ({ headers, params }) =>
      Effect.gen(function* () {
        const sql = yield* admit(headers)
        const rows = yield* sql`
          select id, name, question, answer, category, is_default, modified_from_default, revision, created_at, updated_at
          from faqs where id = ${params.id}`
        const [found] = yield* rowsOf(rows)
        return found === undefined ? HttpServerResponse.empty({ status: 404 }) : withEtag(found)
      }).pipe(Effect.orDie),
    list: ({ headers, query: { page, page_size } }) =>
      Effect.gen(function* () {
        const sql = yield* admit(headers)
        const [count] = yield* sql<{ total: number }>`select count(*)::int as total from faqs`
        const rows = yield* sql`
          select id, name, question, answer, category, is_default, modified_from_default, revision, created_at, updated_at
          from faqs order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`
        return { items: yield* rowsOf(rows), page, page_size, total: count?.total ?? 0 }
      }).pipe(Effect.orDie),
  }),
)

const database = Layer.unwrap(
  Effect.map(
    Effect.promise(() => Work.databaseOf("bench")),
    (url) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10, multiplex: true }),
  ),
)

const app = Layer.unwrap(
  Effect.map(HttpRouter.toHttpEffect(HttpApiBuilder.layer(Api).pipe(Layer.provide(groups))), (routes) =>
    HttpServer.serve(routes),
  ),
)
const ready = Layer.effectDiscard(
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Console.log(`HttpApi is ready at ${HttpServer.formatAddress(address)}`),
  ),
)

NodeRuntime.runMain(
  Layer.launch(
    ready.pipe(
      Layer.provideMerge(app),
      Layer.provideMerge(database),
      Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
    ),
  ),
)
