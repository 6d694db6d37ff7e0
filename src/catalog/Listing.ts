/**
 * One page of a table's rows, newest first unless said otherwise, and how many there are in all (decisions §2, Lists).
 */
import { Effect, type Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Page, PageRequest } from "../domain/Page.ts"
import { toLikePattern, searchTerms } from "../domain/SearchTerms.ts"
import { readable } from "../tenancy/ReadableRows.ts"

interface Query<Row extends Schema.ConstraintDecoder<unknown>> {
  readonly row: Row
  readonly columns: Statement.Fragment
  readonly from: Statement.Fragment
  /** The conditions on rows. An undefined one, whose filter was not sent, is left out. */
  readonly where: ReadonlyArray<Statement.Fragment | undefined>
  readonly order?: Statement.Fragment
}

export const pageOf = <Row extends Schema.ConstraintDecoder<unknown>>(
  query: Query<Row>,
  { page, page_size }: PageRequest,
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const where = sql.and([sql.literal("true"), ...query.where.filter((condition) => condition !== undefined)])
    const order = query.order ?? sql.literal("created_at desc, id desc")
    const items = sql`
      select ${query.columns} from ${query.from} where ${where}
      order by ${order} limit ${page_size} offset ${page * page_size}`.pipe(Effect.flatMap(readable(query.row)))
    const count = sql<{ total: number }>`select count(*)::int as total from ${query.from} where ${where}`
    const [rows, [counted]] = yield* Effect.all([items, count], { concurrency: 2 })
    const result: Page<Row["Type"]> = { items: rows, page, page_size, total: counted?.total ?? 0 }
    return result
  }).pipe(Effect.orDie)

/** The condition that a column, or an item of the array column, contains the text, in upper or lower case. */
export const matching = (
  sql: SqlClient.SqlClient,
  search: string | undefined,
  columns: ReadonlyArray<string>,
  arrayColumn?: string,
): Statement.Fragment | undefined => {
  if (search === undefined) return undefined
  const pattern = toLikePattern(search)
  return sql.or([
    ...columns.map((column) => sql`${sql(column)} ilike ${pattern}`),
    ...(arrayColumn === undefined
      ? []
      : [sql`exists (select from unnest(${sql(arrayColumn)}) item where item ilike ${pattern})`]),
  ])
}

/**
 * As `matching`, and also the condition that `numberColumn` contains a telephone number, however the search writes it.
 */
export const matchingNumber = (
  sql: SqlClient.SqlClient,
  search: string | undefined,
  numberColumn: string,
  columns: ReadonlyArray<string>,
): Statement.Fragment | undefined => {
  if (search === undefined) return undefined
  const { digits } = searchTerms(search)
  const text = matching(sql, search, [numberColumn, ...columns])
  return digits === undefined || text === undefined
    ? text
    : sql.or([sql`${sql(numberColumn)} like ${toLikePattern(digits)}`, text])
}

/** The condition `column = value`; undefined if the filter was not sent. */
export const equal = (
  sql: SqlClient.SqlClient,
  column: string,
  value: string | boolean | undefined,
): Statement.Fragment | undefined => (value === undefined ? undefined : sql`${sql(column)} = ${value}`)
