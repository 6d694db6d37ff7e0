/** Phone numbers over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import { PhoneNumber } from "../domain/PhoneNumber.ts"
import { Page } from "../domain/Page.ts"
import { NumberCheck } from "../telephony/NumberCheck.ts"
import { Api } from "./Api.ts"
import { asCreated, withEtag, answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(PhoneNumber))

export const layer = HttpApiBuilder.group(Api, "phone-numbers", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => page(PhoneNumbers.list(query)),
    get: ({ params }) => Effect.map(PhoneNumbers.find(params.id), withEtag),
    create: ({ payload }) =>
      Effect.flatMap(PhoneNumbers.create(payload), (made) => asCreated("/api/phone-numbers", made)),
    update: ({ headers, params, payload }) =>
      Effect.map(PhoneNumbers.update(params.id, payload, headers["if-match"]), withEtag),
    check: ({ params }) => NumberCheck.use(({ check }) => check(params.id)),
    remove: ({ headers, params }) => PhoneNumbers.remove(params.id, headers["if-match"]),
  }),
)
