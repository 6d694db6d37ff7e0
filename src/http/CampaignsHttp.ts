/** Campaigns over HTTP: handlers translate and delegate. */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { changeOf, etagOf, revisionsOf, toCampaign } from "../campaigns/CampaignAnswer.ts"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import { maximumBytes } from "../campaigns/lists/CsvText.ts"
import * as VariableCheck from "../campaigns/VariableCheck.ts"
import { Campaign } from "../domain/Campaign.ts"
import { Page } from "../domain/Page.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { Api } from "./Api.ts"
import { formFields, rowRules, settingsOf } from "./CampaignForm.ts"
import * as ListUpload from "./edge/ListUpload.ts"
import { addPrefix, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Campaign))

const toAnswer = (row: Campaigns.CampaignRow) =>
  Effect.map(VariableCheck.bringUpToDate(row), (row) =>
    HttpApiSchema.withHeaders({ body: toCampaign(row), headers: { etag: etagOf(row) } }),
  )

export const layer = HttpApiBuilder.group(
  Api,
  "campaigns",
  Effect.fnUntraced(function* (handlers) {
    const control = yield* CampaignControl
    return handlers.handleAll({
      list: ({ query }) =>
        page(Effect.map(Campaigns.list(query), (found) => ({ ...found, items: found.items.map(toCampaign) }))),
      get: ({ params }) => Effect.flatMap(Campaigns.find(params.id), toAnswer),
      update: ({ headers, params, payload }) =>
        Effect.flatMap(control.update(params.id, changeOf(payload), revisionsOf(headers["if-match"])), toAnswer),
      copy: ({ params, payload }) =>
        Effect.gen(function* () {
          const row = yield* control.copy(params.id, payload)
          return HttpApiSchema.withHeaders({ body: toCampaign(row), headers: yield* placeOf(row) })
        }),
      start: ({ params }) => Effect.flatMap(control.start(params.id), toAnswer),
      pause: ({ params }) => Effect.flatMap(control.pause(params.id), toAnswer),
      resume: ({ params }) => Effect.flatMap(control.resume(params.id), toAnswer),
      stop: ({ params }) => Effect.flatMap(control.stop(params.id), toAnswer),
      remove: ({ headers, params }) => control.remove(params.id, revisionsOf(headers["if-match"])),
    })
  }),
)

const placeOf = (row: Campaigns.CampaignRow) =>
  Effect.map(addPrefix(`/api/v1/campaigns/${row.id}`), (location) => ({ etag: etagOf(row), location }))

/**
 * Builds the response itself instead of the declared value, since it is stored for the idempotency key in the import's
 * transaction.
 */
const answerCreated = Effect.fnUntraced(function* (row: Campaigns.CampaignRow) {
  return HttpServerResponse.jsonUnsafe(yield* Effect.orDie(Schema.encodeEffect(Campaign)(toCampaign(row))), {
    status: 201,
    headers: yield* placeOf(row),
  })
})

export const creation = HttpApiBuilder.group(
  Api,
  "campaign-creation",
  Effect.fnUntraced(function* (handlers) {
    const control = yield* CampaignControl
    const master = yield* MasterKey
    const receive = yield* ListUpload.make
    return handlers.handleRaw(
      "create",
      Effect.fnUntraced(
        function* () {
          const { answerOnce, fields, file } = yield* receive(formFields, maximumBytes)
          const upload = { contacts: { file, rules: rowRules(fields) }, settings: settingsOf(fields) }
          return yield* control.create(upload, (create) =>
            answerOnce(
              create.pipe(
                Effect.tap(({ id }) => AuditTrail.write(id)),
                Effect.flatMap(answerCreated),
              ),
            ),
          )
        },
        Effect.scoped,
        Effect.provideService(MasterKey, master),
        Effect.catchTag("SqlError", Effect.die),
      ),
    )
  }),
)
