/** The do-not-call list over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Suppressions from "../catalog/Suppressions.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { Api } from "./Api.ts"
import { asUpserted } from "./edge/Upsert.ts"

export const layer = HttpApiBuilder.group(Api, "suppressions", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => Suppressions.list(query),
    add: ({ payload }) =>
      Effect.flatMap(Suppressions.addByHand(payload), ({ created, suppression }) =>
        asUpserted(pathOf(suppression), suppression, created),
      ),
    remove: ({ params, query }) => Suppressions.remove(params.phone_number, query.subject ?? null),
  }),
)

const pathOf = ({ phone_number, subject }: Suppression) =>
  `/api/v1/suppressions/${encodeURIComponent(phone_number)}${subject === null ? "" : `?subject=${encodeURIComponent(subject)}`}`
