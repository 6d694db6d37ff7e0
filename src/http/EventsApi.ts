/** The documented endpoint of the event log (decision 0010). Contract only: no handler, no database. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventPage, EventType } from "../domain/Event.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const After = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })).pipe(
  Schema.withDecodingDefaultTypeKey(Effect.succeed(100)),
)

export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/events", {
      query: { after: Schema.optionalKey(After), limit: Limit, type: Schema.optionalKey(EventType) },
      success: EventPage,
      error: [Problems.invalid, Problems.eventsPruned],
    })
      .annotate(OpenApi.Summary, "Read the event log")
      .annotate(
        OpenApi.Description,
        "Returns the account's events, oldest first. These are the events that webhooks receive. To read on, repeat the request with `after` set to `next_after` of the last answer. With `type`, a page may be short or empty although `has_more` is true. `seq` numbers are given without a gap in the order of commits, so a reader that has seen a number has not missed a lower one. A number is missing if its event was deleted with its call: by `DELETE /api/v1/calls/{id}`, an erasure or the account's `call_days`. Events are kept for the account's `event_days`, by default 30 days (`PARLEY_EVENT_RETENTION_DAYS`). An `after` that is older fails with 410 `events_pruned` and `oldest_seq`; one beyond the last event fails with a 400.",
      ),
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "The account's event log, for programs that poll.")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}
