/** People over HTTP: the handlers delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as People from "../campaigns/People.ts"
import { Erasure } from "../erasure/Erasure.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const { erasePerson } = yield* Erasure
    return handlers.handleAll({
      get: ({ params }) => People.find(params.phone_number),
      erase: ({ params }) => erasePerson(params.phone_number),
    })
  }),
)
