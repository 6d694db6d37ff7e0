/** The erasure of people over HTTP: the handler delegates. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Erasure } from "../erasure/Erasure.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const { erasePerson } = yield* Erasure
    return handlers.handleAll({ erase: ({ params }) => erasePerson(params.phone_number) })
  }),
)
