/** The account's phone numbers (decisions §2, Phone number). Credentials in `carrier_config` are sealed at rest. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { isUuid } from "../domain/Name.ts"
import { PhoneNumber } from "../domain/PhoneNumber.ts"
import { NotFound } from "../domain/Refusals.ts"
import * as Secrets from "./Secrets.ts"

const Row = Schema.toType(Schema.Struct({ ...PhoneNumber.fields, revision: Schema.Int }))
export type PhoneNumberRow = typeof Row.Type

const placeOf = (id: string) => `phone_numbers/${id}`

/** As it is stored: its secrets sealed. */
const stored = Effect.fnUntraced(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    if (!isUuid(id)) return yield* new NotFound({ resource: "phone number", id })
    const one = SqlSchema.findOne({
      Request: Schema.String,
      Result: Row,
      execute: (id) => sql`select * from phone_numbers where id = ${id}`,
    })
    return yield* one(id)
  },
  (find, id) =>
    Effect.catchTags(find, {
      NoSuchElementError: () => new NotFound({ resource: "phone number", id }),
      SchemaError: Effect.die,
      SqlError: Effect.die,
    }),
)

/** With its secrets masked, as every answer shows it. */
export const find = Effect.fn("PhoneNumbers.find")(function* (id: string) {
  const row = yield* stored(id)
  return { ...row, carrier_config: Secrets.masked(row.carrier_config) }
})

/** With its secrets open, for the carrier alone. */
export const findForCarrier = Effect.fn("PhoneNumbers.findForCarrier")(function* (id: string) {
  const row = yield* stored(id)
  return { ...row, carrier_config: yield* Secrets.opened(placeOf(row.id), row.carrier_config) }
})
