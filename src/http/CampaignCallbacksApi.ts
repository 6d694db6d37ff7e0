/** The documented endpoints of a campaign's callbacks (decision 0073). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Contact, ContactDetail } from "../domain/Contact.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { Needs } from "./edge/Authentication.ts"
import * as Problems from "./edge/Problems.ts"

const byId = { id: Schema.String.annotate({ description: "The campaign's UUID." }) }
const ofContact = { ...byId, contact_id: Schema.String.annotate({ description: "The contact's UUID." }) }

const CallbackMove = Schema.Struct({
  at: TimestampInput.annotate({
    description: "When to call the person back, at most 30 days ahead. RFC 3339 with a UTC offset.",
  }),
}).annotate({ identifier: "CallbackMove", examples: [{ at: "2026-11-22T17:00:00+01:00" }] as never })

export class CampaignCallbacksApi extends HttpApiGroup.make("campaign-callbacks")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/campaigns/:id/callbacks", {
      params: byId,
      query: pageQuery(100),
      success: Page(Contact),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List a campaign's outstanding callbacks")
      .annotate(
        OpenApi.Description,
        "Returns the contacts that wait for a callback, in the order in which they are due. `callback_at` is the time that was arranged, and `next_attempt_at` is when the contact is dialled, which is later if the calling window is closed at that time.",
      ),
    HttpApiEndpoint.put("move", "/api/v1/campaigns/:id/contacts/:contact_id/callback", {
      params: ofContact,
      payload: CallbackMove,
      success: ContactDetail,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(Needs, "dial")
      .annotate(OpenApi.Summary, "Move a callback to another time")
      .annotate(
        OpenApi.Description,
        "Sets when the contact is called back. If the calling window is closed at that time, `callback_at` in the answer is its next opening. A time that has passed, or that is more than 30 days ahead, is a 400. A contact without an outstanding callback, or on the do-not-call list, is a 409.",
      ),
    HttpApiEndpoint.delete("cancel", "/api/v1/campaigns/:id/contacts/:contact_id/callback", {
      params: ofContact,
      success: ContactDetail,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Cancel a callback")
      .annotate(
        OpenApi.Description,
        "The contact is not called back and is `completed`, because the person was reached before. If it was the campaign's last open contact, the campaign ends. A contact without an outstanding callback is a 409.",
      ),
  )
  .annotate(OpenApi.Title, "Campaign callbacks")
  .annotate(OpenApi.Description, "The people who asked to be called back, and when the campaign dials them.")
  .pipe(addAccountMiddleware) {}
