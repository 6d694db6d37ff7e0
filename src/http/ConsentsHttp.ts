/** The consent ledger over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ConsentsCsv from "../campaigns/ConsentsCsv.ts"
import * as Consents from "../catalog/Consents.ts"
import * as Pages from "../tenancy/Pages.ts"
import { Api } from "./Api.ts"
import { answerCsv } from "./edge/AnswerCsv.ts"

export const layer = HttpApiBuilder.group(Api, "consents", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => Consents.list(query),
    get: ({ params }) => Consents.find(params.id),
    record: ({ payload }) => Consents.record(payload.consents),
    revoke: ({ payload }) => Consents.revoke(payload.revocations),
  }),
)

export const layerExport = HttpApiBuilder.group(Api, "consent-export", (handlers) =>
  handlers.handle("csv", ({ query }) =>
    Effect.flatMap(Pages.reader, (read) => answerCsv("consents.csv", ConsentsCsv.stream(query.search, read))),
  ),
)
