/** The documented endpoints that change the list of a campaign that has not ended. Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ContactDetail } from "../domain/Contact.ts"
import { AddContacts, AddedContacts, WithdrawContacts, WithdrawnContacts } from "../domain/ContactChange.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"

const byId = { id: Schema.String.annotate({ description: "The campaign's UUID." }) }

export class ContactChangesApi extends HttpApiGroup.make("contact-changes")
  .add(
    HttpApiEndpoint.post("add", "/api/v1/campaigns/:id/contacts", {
      params: byId,
      payload: AddContacts,
      success: AddedContacts,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Add contacts to a campaign")
      .annotate(
        OpenApi.Description,
        "Adds contacts to a draft, running or paused campaign, and corrects those whose `external_id` the campaign has. A running campaign dials new contacts after those of its list. Answers with one result for each row. The request is one transaction: if it fails, send it again; with an `external_id` in each row, a repetition changes nothing. A number that the campaign has is a `duplicate`, unless its `duplicate_policy` is `keep`; with `reject`, a duplicate refuses the request with a 400. A row whose number is not possible is `refused`, and the others are written. The fields of a contact that waits for its first call or for a retry are replaced; its number only before the first call. A campaign that has ended fails with 409 `invalid_state`. For a running or scheduled campaign, an API key needs the scope `dial`. A body has at most 10,000 JSON values, so send fewer contacts at once if they have many fields.",
      ),
    HttpApiEndpoint.delete("withdraw", "/api/v1/campaigns/:id/contacts/:contact_id", {
      params: { ...byId, contact_id: Schema.String.annotate({ description: "The contact's UUID." }) },
      success: ContactDetail,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Withdraw a contact")
      .annotate(
        OpenApi.Description,
        "No attempt to call the contact begins after the answer. A waiting contact is skipped at once, with the reason `withdrawn`. A call in progress continues, and no retry follows. The contact stays in the campaign and its results. A repetition changes nothing. A contact that is completed, failed or skipped for another reason fails with 409 `invalid_state`. A campaign without another contact to call ends.",
      ),
    HttpApiEndpoint.post("withdrawMany", "/api/v1/campaigns/:id/contacts/withdraw", {
      params: byId,
      payload: WithdrawContacts,
      success: WithdrawnContacts,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Withdraw contacts by external id")
      .annotate(
        OpenApi.Description,
        "Withdraws each contact as `DELETE /api/v1/campaigns/{id}/contacts/{contact_id}` does, and answers with one result for each id. An unknown id does not fail the request. A repetition changes nothing.",
      ),
  )
  .annotate(OpenApi.Title, "Contact changes")
  .annotate(OpenApi.Description, "Contacts that are added, corrected or withdrawn while their campaign runs.")
  .pipe(addAccountMiddleware) {}
