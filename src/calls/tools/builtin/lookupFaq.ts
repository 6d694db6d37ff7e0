/** lookup_faq: answers from the agent's own FAQs, found by PostgreSQL's full-text search. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { textIn } from "../../JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"

const Found = Schema.Struct({ question: Schema.String, answer: Schema.String, category: Schema.String })

/** As many as a model needs to choose from; the best comes first. */
const most = 3
/** Longer than any sentence: the parser of the search takes time for each word. */
const longestQuery = 1_000

export const lookupFaq: BuiltIn = (args, { faq_ids }) => {
  const query = textIn(args, "question")
  if (query === undefined) return new ToolFailed({ code: "invalid_arguments", reason: "question must be a text" })
  return Effect.map(search(query.slice(0, longestQuery), faq_ids), (answers) => ({
    found: answers.length > 0,
    answers,
  }))
}

/**
 * Any word may match, since people ask in other words than the FAQ's; the rank decides, and the question weighs more
 * than the answer (migrations, `faqs.search`).
 */
const search = Effect.fn("lookupFaq.search")(function* (query: string, faqIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Found,
    execute: () => sql`
      select f.question, f.answer, f.category
      from faqs f, (select replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery as words) q
      where f.id = any(${[...faqIds]}::uuid[]) and f.search @@ q.words
      order by ts_rank(f.search, q.words) desc, f.id limit ${most}`,
  })
  return yield* rows()
}, Effect.orDie)

/** Every FAQ of the account, for an invocation without an agent. */
export const allFaqs = Effect.fn("lookupFaq.allFaqs")(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`select id from faqs order by created_at desc, id desc limit 10000`
  return rows.map(({ id }) => id)
}, Effect.orDie)
