/** The documented phone number endpoints (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CarrierCheck } from "../domain/CarrierCheck.ts"
import { e164Input } from "../domain/E164.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { Carrier, LabelInput, PhoneNumber, phoneNumberReadOnly } from "../domain/PhoneNumber.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { carrier, carrier_config, inbound_agent_id, max_calls_per_day, min_seconds_between_calls } = PhoneNumber.fields
const number = e164Input("The number that the carrier provides.")

const optional = {
  label: Schema.optionalKey(LabelInput),
  carrier_config: Schema.optionalKey(carrier_config),
  inbound_agent_id: Schema.optionalKey(inbound_agent_id),
  max_calls_per_day: Schema.optionalKey(max_calls_per_day),
  min_seconds_between_calls: Schema.optionalKey(min_seconds_between_calls),
}
const example = { number: "+14155550100", carrier: "lab", label: "Front desk" }

const NewPhoneNumber = writable({ number, carrier, ...optional }, phoneNumberReadOnly).annotate({
  identifier: "NewPhoneNumber",
  examples: [example] as never,
})
const PhoneNumberChange = writable(
  { number: Schema.optionalKey(number), carrier: Schema.optionalKey(carrier), ...optional },
  phoneNumberReadOnly,
).annotate({ identifier: "PhoneNumberChange", examples: [{ label: "Front desk, evenings" }] })

const byId = { id: Schema.String.annotate({ description: "The phone number's UUID." }) }

export class PhoneNumbersApi extends HttpApiGroup.make("phone-numbers")
  .add(
    HttpApiEndpoint.get("list", "/api/phone-numbers", {
      query: { ...pageQuery(), carrier: Schema.optionalKey(Carrier), search: Schema.optionalKey(Search) },
      success: Page(PhoneNumber),
    })
      .annotate(OpenApi.Summary, "List phone numbers")
      .annotate(
        OpenApi.Description,
        "Returns phone numbers, newest first. `search` matches number and label; write a number with or without spaces and punctuation.",
      ),
    HttpApiEndpoint.get("get", "/api/phone-numbers/:id", {
      params: byId,
      success: Tagged(PhoneNumber),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a phone number")
      .annotate(OpenApi.Description, "Looks the phone number up by UUID. Secrets are masked as `********`."),
    HttpApiEndpoint.post("create", "/api/phone-numbers", {
      payload: NewPhoneNumber,
      success: Created(PhoneNumber),
      error: [Problems.invalid, Problems.unknownReference, Problems.nameTaken],
    })
      .annotate(OpenApi.Summary, "Add a phone number")
      .annotate(
        OpenApi.Description,
        "Secrets in `carrier_config` (keys such as `auth_token`, `password`, `api_key`) are encrypted at rest. A `lab` number belongs to the simulated phone network.",
      ),
    HttpApiEndpoint.put("update", "/api/phone-numbers/:id", {
      params: byId,
      headers: ifMatch,
      payload: PhoneNumberChange,
      success: Tagged(PhoneNumber),
      error: [
        Problems.invalid,
        Problems.notFound,
        Problems.unknownReference,
        Problems.nameTaken,
        Problems.inUse,
        Problems.preconditionFailed,
        Problems.missingRole,
        Problems.missingScope,
      ],
    })
      .annotate(OpenApi.Summary, "Change a phone number")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value. `carrier_config` is replaced as a whole; a `********` in it keeps the stored secret. Another `carrier` fails with 409 `in_use` while the number is in the pool of a campaign that has not ended. An API key needs the scope `dial` in addition to `write` for a change after which more calls can begin: a higher `max_calls_per_day` or `calls_per_second`, fewer `min_seconds_between_calls`, or none of these limits.",
      ),
    HttpApiEndpoint.post("check", "/api/phone-numbers/:id/check", {
      params: byId,
      success: CarrierCheck,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Check a phone number's carrier")
      .annotate(
        OpenApi.Description,
        "Asks the carrier whether calls can be placed from the number, without placing one: a SIP trunk whether it answers and takes the credentials, Twilio and Telnyx whether they take them and have the number. Answers 200 whatever was found; `ok` and `detail` say it. Takes up to 10 s.",
      ),
    HttpApiEndpoint.delete("remove", "/api/phone-numbers/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.inUse, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete a phone number")
      .annotate(
        OpenApi.Description,
        "Deletes the phone number. Fails with 409 `in_use` while a campaign that has not ended dials from it.",
      ),
  )
  .annotate(OpenApi.Title, "Phone numbers")
  .annotate(OpenApi.Description, "The numbers that the account dials from and receives calls on.")
  .pipe(addAccountMiddleware) {}
