/** The documented endpoint of the event log (decision 0010). Contract only: no handler, no database. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EventPage, EventType } from "../domain/Event.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const After = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
  description: "Events with a higher number; from the oldest that is kept, if left out.",
})
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))
  .annotate({ description: "Events at most, 1 to 1000; 100 if left out." })
  .pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(100)))

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
        "What happened in the account, the oldest first: what webhooks are told, to be pulled without a gap. Ask again with `after` = `next_after`; with a `type` a page may be short, or empty, while `has_more` is true. Numbers follow the order of commits without a gap, so a reader that has seen one never misses a lower one. Events are kept for 30 days (`PARLEY_EVENT_RETENTION_DAYS`): an `after` from before that is a 410 `events_pruned` with `oldest_seq`, never a silent gap; one beyond the last event is a 400.",
      ),
  )
  .annotate(OpenApi.Title, "Events")
  .annotate(OpenApi.Description, "The account's event log, for programs that pull.")
  .middleware(InvalidRequest)
  .middleware(Authentication) {}
