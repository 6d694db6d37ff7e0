/** Which calls have what is searched for: the number at the other end, the contact's fields, the variables, the transcript. */
import type { SqlClient, Statement } from "effect/sql"
import { containing, searchTerms } from "../domain/SearchTerms.ts"

/** A condition on rows of `calls`. */
export const matchingCalls = (sql: SqlClient.SqlClient, search: string): Statement.Fragment => {
  const { digits, words } = searchTerms(search)
  const inEvery = sql.and([sql.literal("true"), ...words.map((word) => hasWord(sql, word))])
  return digits === undefined ? inEvery : sql`(${otherNumber(sql)} like ${containing(digits)} or ${inEvery})`
}

/** Our own number is on one side of every call, so only the other side is worth finding. */
const otherNumber = (sql: SqlClient.SqlClient) => sql`case direction when 'inbound' then from_number else to_number end`

/** A campaign's call has its variables in the contact's row. */
const fields = (sql: SqlClient.SqlClient) =>
  sql`coalesce((select custom_fields from contacts where contacts.id = calls.contact_id), variables)`

/**
 * JSON is looked at as one text first, which is much cheaper than value by value: if a value contains the word, that
 * text contains it as JSON writes it.
 */
const hasWord = (sql: SqlClient.SqlClient, word: string) => {
  const pattern = containing(word)
  const inJson = containing(JSON.stringify(word).slice(1, -1))
  return sql`(
    ${otherNumber(sql)} ilike ${pattern}
    or ${fields(sql)}::text ilike ${inJson} and exists (
      select from jsonb_each_text(${fields(sql)}) field where field.value ilike ${pattern})
    or transcript::text ilike ${inJson} and exists (
      select from jsonb_array_elements(transcript) line where line ->> 'text' ilike ${pattern}))`
}
