/** Searches the contacts of all campaigns of the account, and finds the names behind the ids of a list of calls. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CallNames, FoundContact } from "../domain/AccountSearch.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Contacts from "./Contacts.ts"

const Found = Schema.toType(FoundContact)
const Names = Schema.toType(CallNames)

/** Finds contacts, the newest lists first: ids of contacts rise with the time of their import. */
export const contacts = Effect.fn("AccountSearch.contacts")(function* (search: string, limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Found)(sql`
    select found.*, c.name as campaign_name
    from (select id, campaign_id, phone_number, custom_fields from contacts where ${Contacts.matching(sql, search)}
          order by id desc limit ${limit}) found
    join campaigns c on c.id = found.campaign_id order by found.id desc`).pipe(Effect.orDie)
})

export const callNames = Effect.fn("AccountSearch.callNames")(function* (
  campaignIds: ReadonlyArray<string>,
  contactIds: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* Rows.first(Names)(sql`
    select
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'name', name)) from campaigns
                where id = any(${[...campaignIds]}::uuid[])), '[]') as campaigns,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'custom_fields', custom_fields)) from contacts
                where id = any(${[...contactIds]}::uuid[])), '[]') as contacts`).pipe(Effect.orDie)
  return row ?? { campaigns: [], contacts: [] }
})
