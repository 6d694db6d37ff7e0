/** The do-not-call list over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Suppressions from "../catalog/Suppressions.ts"
import { Api } from "./Api.ts"
import { upserted } from "./edge/Upsert.ts"

export const layer = HttpApiBuilder.group(Api, "suppressions", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => Suppressions.list(query),
    add: ({ payload: { expires_at, phone_number, reason } }) =>
      Effect.flatMap(
        Suppressions.add({
          phone_number,
          source: "api",
          reason: reason ?? null,
          expires_at: typeof expires_at === "string" ? new Date(expires_at) : null,
        }),
        ({ created, suppression }) =>
          upserted(`/api/v1/suppressions/${encodeURIComponent(phone_number)}`, suppression, created),
      ),
    remove: ({ params }) => Suppressions.remove(params.phone_number),
  }),
)
