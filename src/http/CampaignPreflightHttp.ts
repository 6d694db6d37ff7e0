/** A campaign's preflight over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Preflight } from "../campaigns/Preflight.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "campaign-preflight",
  Effect.fnUntraced(function* (handlers) {
    const preflight = yield* Preflight
    return handlers.handleAll({ preflight: ({ params, payload }) => preflight.run(params.id, payload) })
  }),
)
