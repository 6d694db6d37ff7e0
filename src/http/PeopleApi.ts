/** The endpoints that show and erase a person. Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ErasedPerson } from "../domain/Erasure.ts"
import { Person } from "../domain/Person.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"

const byNumber = {
  phone_number: Schema.String.annotate({
    description: "The person's number in E.164 form, with the + encoded as %2B.",
    examples: ["+14155550132"],
  }),
}

export class PeopleApi extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("get", "/api/v1/people/:phone_number", {
      params: byNumber,
      success: Person,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a person")
      .annotate(
        OpenApi.Description,
        "Returns what all campaigns and calls of the account have about one number: who is going to call the person and when, how often they were called today and in the last 7 days, the calls, and the do-not-call list. A number that the account knows nothing about is answered with empty lists.",
      ),
    HttpApiEndpoint.delete("erase", "/api/v1/people/:phone_number", {
      params: byNumber,
      success: ErasedPerson,
      error: [Problems.notFound, Problems.invalidState],
    })
      .annotate(OpenApi.Summary, "Erase a person")
      .annotate(
        OpenApi.Description,
        "Deletes everything that the account stores about the person with this number, and answers with what was removed: calls with their transcripts and recordings, the number and fields of contacts, records of decisions, and stored answers. It cannot be undone. Contacts keep an anonymous row, so the counts of campaigns stay right; a contact that still waits for a call is skipped with the `skip_reason` `erased`. If the number is on the do-not-call list, its entry becomes a keyed digest: the number is still never dialled, but no longer listed (`DELETE /api/v1/suppressions/{phone_number}` removes it). A person who was never called, or was erased before, is answered with zeros. While the person is in a call, the request fails with 409 `invalid_state`. Exports of the account are withdrawn. Copies that left Parley are not reached: downloads, delivered webhooks, the carrier's records and backups. Text about the person in other people's calls, and answers kept for an `Idempotency-Key` of the typed router, stay; the latter for at most a day.",
      ),
  )
  .annotate(OpenApi.Title, "People")
  .annotate(OpenApi.Description, "The people that the account calls, by their numbers.")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
