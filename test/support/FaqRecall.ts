/**
 * Measures how well a search answers questions about fifty FAQs, and how often it answers one that none of them does.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { json } from "../../src/tenancy/Json.ts"
import type { search } from "../../src/tools/builtin/FaqSearch.ts"
import { askedFaqs, offTopic } from "../tools/builtin/FaqQuestions.ts"

export type Search = (
  ...args: Parameters<typeof search>
) => Effect.Effect<ReadonlyArray<{ readonly question: string }>, never, SqlClient.SqlClient>

interface Recall {
  readonly questions: number
  /** The share of questions whose FAQ was found first, and among the first three. */
  readonly at1: number
  readonly at3: number
  /** The count of questions that got an answer although no FAQ answers them. */
  readonly falseAnswers: number
  readonly missed: ReadonlyArray<string>
}

interface Written {
  readonly question: string
  readonly answer: string
}

/** Writes FAQs to the account's database. Returns their ids. */
export const write = Effect.fn("FaqRecall.write")(function* (faqs: ReadonlyArray<Written>) {
  const sql = yield* SqlClient.SqlClient
  const rows = faqs.map(({ answer, question }) => {
    const id = uuidv7()
    return { id, name: `faq-${id}`, question, answer, category: "general" }
  })
  yield* sql`
    insert into faqs (id, name, question, answer, category)
    select id, name, question, answer, category from jsonb_populate_recordset(null::faqs, ${json(rows)})`
  return rows.map(({ id }) => id)
}, Effect.orDie)

/** `variants` selects which of each FAQ's four questions are asked. */
export const measure = Effect.fn("FaqRecall.measure")(function* (
  search: Search,
  ids: ReadonlyArray<string>,
  variants: ReadonlyArray<0 | 1 | 2 | 3> = [0, 1, 2, 3],
) {
  const questions = askedFaqs.flatMap(({ asked, question }) => variants.map((at) => ({ question, asked: asked[at] })))
  const found = yield* Effect.forEach(questions, ({ asked, question }) =>
    Effect.map(search(asked, ids), (answers) => answers.findIndex((answer) => answer.question === question)),
  )
  const answered = yield* Effect.filter(offTopic, (question) =>
    Effect.map(search(question, ids), ({ length }) => length > 0),
  )
  return {
    questions: questions.length,
    at1: found.filter((place) => place === 0).length / questions.length,
    at3: found.filter((place) => place >= 0).length / questions.length,
    falseAnswers: answered.length,
    missed: questions.filter((_, at) => found[at] !== 0).map(({ asked }) => asked),
  } satisfies Recall
})
