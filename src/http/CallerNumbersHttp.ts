/** Caller numbers over HTTP: handlers delegate. */
import { HttpApiBuilder } from "effect/http-api"
import * as CallerNumbers from "../catalog/CallerNumbers.ts"
import { CallerNumber } from "../domain/CallerNumber.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(CallerNumber))

export const layer = HttpApiBuilder.group(Api, "caller-numbers", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(CallerNumbers.list(query)),
    get: ({ params }) => CallerNumbers.find(params.id),
    rest: ({ params, payload }) => CallerNumbers.rest(params.id, payload),
    endRest: ({ params }) => CallerNumbers.endRest(params.id),
  }),
)
