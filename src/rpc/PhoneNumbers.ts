/** Phone numbers over the router. */
import { Effect } from "effect"
import * as Catalog from "../catalog/PhoneNumbers.ts"
import { CarrierCheck } from "../domain/CarrierCheck.ts"
import { Page } from "../domain/Page.ts"
import { PhoneNumber } from "../domain/PhoneNumber.ts"
import { NumberCheck } from "../telephony/NumberCheck.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/PhoneNumbers.ts"
import { mutation, query, router } from "./Procedure.ts"

const Answer = Tagged(PhoneNumber)

export const phoneNumbers = router({
  list: query("read", Inputs.PhoneNumberList, Page(PhoneNumber), Catalog.list),
  get: query("read", Inputs.PhoneNumberKey, Answer, ({ id }) => Effect.map(Catalog.find(id), withEtag)),
  create: mutation("write", Inputs.NewPhoneNumber, Answer, (number) => Effect.map(Catalog.create(number), withEtag)),
  update: mutation("write", Inputs.PhoneNumberUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Catalog.update(id, change, etag), withEtag),
  ),
  check: mutation("write", Inputs.PhoneNumberKey, CarrierCheck, ({ id }) => NumberCheck.use(({ check }) => check(id))),
  remove: mutation("write", Inputs.PhoneNumberKey, Nothing, ({ id }) => Catalog.remove(id)),
})
