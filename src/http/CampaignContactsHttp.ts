/** A campaign's contacts and results over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Campaigns from "../campaigns/Campaigns.ts"
import * as Contacts from "../campaigns/Contacts.ts"
import * as DecisionsCsv from "../campaigns/DecisionsCsv.ts"
import * as ResultsCsv from "../campaigns/ResultsCsv.ts"
import { timeline } from "../campaigns/Timeline.ts"
import { usualBucketSeconds } from "../domain/CampaignTimeline.ts"
import { Contact } from "../domain/Contact.ts"
import { Page } from "../domain/Page.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import { answerCsv } from "./edge/AnswerCsv.ts"
import { answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(Contact))

export const layer = HttpApiBuilder.group(Api, "campaign-contacts", (handlers) =>
  handlers.handleAll({
    list: ({ params, query }) => page(Effect.flatMap(Campaigns.find(params.id), ({ id }) => Contacts.list(id, query))),
    get: ({ params }) => Effect.flatMap(Campaigns.find(params.id), ({ id }) => Contacts.find(id, params.contact_id)),
    timeline: ({ params, query }) =>
      Effect.flatMap(Campaigns.find(params.id), ({ id }) => timeline(id, query.bucket_seconds ?? usualBucketSeconds)),
    decisions: Effect.fnUntraced(function* ({ params }) {
      const campaign = yield* Campaigns.find(params.id)
      return yield* answerCsv(`decisions-${campaign.id}.csv`, DecisionsCsv.stream(campaign, yield* Pages.reader))
    }),
    results: Effect.fnUntraced(function* ({ params, query }) {
      const campaign = yield* Campaigns.find(params.id)
      const rows = yield* ResultsCsv.stream(campaign, query, yield* Pages.reader)
      return yield* answerCsv(`campaign-${campaign.id}.csv`, rows)
    }),
  }),
)
