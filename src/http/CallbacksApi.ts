/** The documented endpoint of the callbacks of all campaigns (decision 0091). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CampaignId } from "../domain/Campaign.ts"
import { OutstandingCallback } from "../domain/OutstandingCallback.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"

export class CallbacksApi extends HttpApiGroup.make("callbacks")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/callbacks", {
      query: {
        ...pageQuery(100),
        campaign_id: Schema.optionalKey(CampaignId).annotate({ description: "Only callbacks of this campaign." }),
        from: Schema.optionalKey(TimestampInput).annotate({
          description: "Only callbacks that were promised for this moment or later.",
        }),
        to: Schema.optionalKey(TimestampInput).annotate({
          description: "Only callbacks that were promised for a time before this moment.",
        }),
      },
      success: Page(OutstandingCallback),
    })
      .annotate(OpenApi.Summary, "List the outstanding callbacks of all campaigns")
      .annotate(
        OpenApi.Description,
        "Returns the contacts that wait for a callback, with their campaigns, in the order in which they are due: those that are due now come first. `callback_at` is the time that was promised, and `next_attempt_at` is when the contact is dialled, which is later if calls are not permitted at that time. `from` and `to` compare `callback_at`. Move and cancel a callback at its campaign.",
      ),
  )
  .annotate(OpenApi.Title, "Callbacks")
  .annotate(OpenApi.Description, "The people of all campaigns who asked to be called back.")
  .pipe(addAccountMiddleware) {}
