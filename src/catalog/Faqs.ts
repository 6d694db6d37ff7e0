/**
 * The account's FAQs: reading and changing them. AgentFaqs attaches them to agents; the built-in tool lookup_faq
 * searches them.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Faq, nameFrom } from "../domain/Faq.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { BuiltInProtected, InUse, NameTaken, NotFound } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { toLikePattern } from "../domain/SearchTerms.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"

const Row = Schema.toType(Schema.Struct({ ...Faq.fields, revision: Schema.Int }))
export type FaqRow = typeof Row.Type

export interface FaqFilter extends PageRequest {
  readonly category?: string
  readonly search?: string
  readonly is_default?: boolean
}

const rows = (sql: SqlClient.SqlClient, rest: Statement.Fragment) =>
  sql`
    select id, name, question, answer, category, is_default, modified_from_default, revision, created_at, updated_at
    from faqs ${rest}`
const select = (sql: SqlClient.SqlClient, rest: Statement.Fragment) => Effect.orDie(Rows.all(Row)(rows(sql, rest)))

/** Newest first (decisions §2, Lists). */
export const list = Effect.fnUntraced(function* (filter: FaqFilter) {
  const sql = yield* SqlClient.SqlClient
  const where = sql.and([
    sql.literal("true"),
    ...(filter.category === undefined ? [] : [sql`category = ${filter.category}`]),
    ...(filter.is_default === undefined ? [] : [sql`is_default = ${filter.is_default}`]),
    ...(filter.search === undefined ? [] : [matches(sql, toLikePattern(filter.search))]),
  ])
  const [count] = yield* sql`select count(*)::int as total from faqs where ${where}`.pipe(Effect.orDie)
  const offset = filter.page * filter.page_size
  const items = yield* rows(
    sql,
    sql`where ${where} order by created_at desc, id desc limit ${filter.page_size} offset ${offset}`,
  ).pipe(Effect.flatMap(readable(Row)), Effect.orDie)
  return {
    items,
    page: filter.page,
    page_size: filter.page_size,
    total: Number(count?.["total"]),
  } satisfies Page<FaqRow>
})

const matches = (sql: SqlClient.SqlClient, pattern: string) =>
  sql.or(["name", "question", "answer", "category"].map((column) => sql`${sql(column)} ilike ${pattern}`))

/** Finds an FAQ by UUID or by name. Untraced: a span costs a tenth of the request. */
export const find = Effect.fnUntraced(function* (idOrName: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* select(sql, matchIdOrName(sql, idOrName))
  return found ?? (yield* new NotFound({ resource: "FAQ", id: idOrName }))
})

const findForUpdate = Effect.fnUntraced(function* (idOrName: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* select(sql, sql`${matchIdOrName(sql, idOrName)} for update`)
  return found ?? (yield* new NotFound({ resource: "FAQ", id: idOrName }))
})

const matchIdOrName = (sql: SqlClient.SqlClient, idOrName: string) =>
  isUuid(idOrName) ? sql`where id = ${idOrName}` : sql`where name = ${idOrName}`

export interface NewFaq {
  readonly name?: string
  readonly question: string
  readonly answer: string
  readonly category?: string
}

export const create = Effect.fn("Faqs.create")(
  function* (faq: NewFaq) {
    const sql = yield* SqlClient.SqlClient
    const id = uuidv7()
    const { answer, category = "general", question } = faq
    const name = faq.name ?? (yield* freeName(nameFrom(question)))
    yield* sql`insert into faqs ${sql.insert({ id, name, question, answer, category })}`.pipe(refuseTaken(name))
    return yield* Effect.orDie(find(id))
  },
  // A transaction, so that a row which cannot be read back is rolled back.
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** A free name: the slug of the question, with a number if it is taken. Two FAQs may have the same question. */
const freeName = Effect.fnUntraced(function* (slug: string) {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* sql<{ name: string }>`select name from faqs where name like ${`${slug}%`}`.pipe(Effect.orDie)
  const names = new Set(taken.map(({ name }) => name))
  let number = 1
  while (names.has(number === 1 ? slug : `${slug}-${number}`)) number++
  return number === 1 ? slug : `${slug}-${number}`
})

export const update = Effect.fn("Faqs.update")(
  function* (idOrName: string, change: Partial<NewFaq>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findForUpdate(idOrName)
    yield* checkMatch(ifMatch, present.revision)
    const { answer, category, name, question } = { ...present, ...change }
    yield* sql`
    update faqs set
      ${sql.update({ answer, category, name, question })},
      modified_from_default = is_default, revision = revision + 1, updated_at = now()
    where id = ${present.id}`.pipe(refuseTaken(name))
    return yield* Effect.orDie(find(present.id))
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Deletes an FAQ. Refused for a built-in FAQ, and while an agent has it attached. */
export const remove = Effect.fn("Faqs.remove")(
  function* (idOrName: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const { id, is_default, name, revision } = yield* findForUpdate(idOrName)
    yield* checkMatch(ifMatch, revision)
    if (is_default) return yield* new BuiltInProtected({ resource: "FAQ", name })
    yield* sql`delete from faqs where id = ${id}`.pipe(
      Effect.catchReason(
        "SqlError",
        "ConstraintError",
        () => new InUse({ resource: "FAQ", detail: `An agent has the FAQ ${name} attached. Detach it first.` }),
      ),
    )
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const refuseTaken =
  (name: string) =>
  <A, R>(self: Effect.Effect<A, SqlError.SqlError, R>) =>
    self.pipe(
      Effect.catchReason("SqlError", "UniqueViolation", () => new NameTaken({ resource: "FAQ", name })),
      Effect.catchTag("SqlError", Effect.die),
    )
