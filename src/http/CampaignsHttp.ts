/** Campaigns over HTTP: handlers translate and delegate. */
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { CampaignControl } from "../campaigns/CampaignControl.ts"
import * as Campaigns from "../campaigns/Campaigns.ts"
import { Campaign } from "../domain/Campaign.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { Api } from "./Api.ts"
import { formFields, rowRules, rowRulesSoFar, settingsOf } from "./CampaignForm.ts"
import { once, requestKey } from "./edge/Idempotency.ts"
import * as Multipart from "./edge/Multipart.ts"
import { prefixed } from "./edge/Resource.ts"

/** Counts move without a revision: the tag names both, and `If-Match` asks for the revision alone. */
const etagOf = ({ counts, revision, waiting_for }: Campaigns.CampaignRow): string =>
  `"${[revision, counts.pending, counts.in_progress, counts.completed, counts.failed, waiting_for ?? "-"].join(".")}"`

const revisionsOf = (ifMatch: string | undefined): string | undefined => ifMatch?.replaceAll(/"(\d+)\.[^"]*"/g, '"$1"')

const shown = ({
  columns: _columns,
  redial_unknown: _redial,
  revision: _revision,
  ...campaign
}: Campaigns.CampaignRow): Campaign => campaign

const tagged = (row: Campaigns.CampaignRow) =>
  HttpApiSchema.withHeaders({ body: shown(row), headers: { etag: etagOf(row) } })

const moment = <A extends { readonly scheduled_at?: string | null }>({ scheduled_at, ...change }: A) =>
  scheduled_at === undefined
    ? change
    : { ...change, scheduled_at: scheduled_at === null ? null : new Date(scheduled_at) }

export const layer = HttpApiBuilder.group(
  Api,
  "campaigns",
  Effect.fnUntraced(function* (handlers) {
    const control = yield* CampaignControl
    return handlers.handleAll({
      list: ({ query }) => Effect.map(Campaigns.list(query), (page) => ({ ...page, items: page.items.map(shown) })),
      get: ({ params }) => Effect.map(Campaigns.find(params.id), tagged),
      update: ({ headers, params, payload }) =>
        Effect.map(control.update(params.id, moment(payload), revisionsOf(headers["if-match"])), tagged),
      start: ({ params }) => Effect.map(control.start(params.id), tagged),
      pause: ({ params }) => Effect.map(control.pause(params.id), tagged),
      resume: ({ params }) => Effect.map(control.resume(params.id), tagged),
      stop: ({ params }) => Effect.map(control.stop(params.id), tagged),
      remove: ({ params }) => control.remove(params.id),
    })
  }),
)

/** An answer of its own, and not the declared value: it is kept for the idempotency key in the import's transaction. */
const created = Effect.fnUntraced(function* (row: Campaigns.CampaignRow) {
  return HttpServerResponse.jsonUnsafe(yield* Effect.orDie(Schema.encodeEffect(Campaign)(shown(row))), {
    status: 201,
    headers: { etag: etagOf(row), location: yield* prefixed(`/api/v1/campaigns/${row.id}`) },
  })
})

export const creation = HttpApiBuilder.group(
  Api,
  "campaign-creation",
  Effect.fnUntraced(function* (handlers) {
    const control = yield* CampaignControl
    const master = yield* MasterKey
    return handlers.handleRaw(
      "create",
      Effect.fnUntraced(
        function* () {
          const key = yield* requestKey
          const form = yield* Multipart.receive(formFields)
          const upload = {
            contacts: {
              file: form.file,
              rulesSoFar: () => rowRulesSoFar(form.fields),
              rules: () => form.complete.then(() => rowRules(form.fields)),
            },
            settings: Effect.suspend(() => settingsOf(form.fields)),
          }
          return yield* control.create(upload, (create) => {
            const answer = Effect.flatMap(create, created)
            return Option.match(key, {
              onNone: () => answer,
              onSome: (key) => once(key, form.fingerprint, answer),
            })
          })
        },
        Effect.scoped,
        Effect.provideService(MasterKey, master),
        Effect.catchTag(["SqlError", "SchemaError"], Effect.die),
      ),
    )
  }),
)
