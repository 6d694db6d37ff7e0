/** lookup_faq: answers from the agent's FAQs, found by words and, if a model is configured, by meaning. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Template from "../../catalog/Template.ts"
import { textIn } from "../../domain/JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import { FaqMeaning } from "./FaqMeaning.ts"
import { type FoundFaq, search } from "./FaqSearch.ts"

export const lookupFaq: BuiltIn = (args, { faq_ids, variables }) => {
  const question = textIn(args, "question")
  if (question === undefined) return new ToolFailed({ code: "invalid_arguments", reason: "question must be a text" })
  return Effect.gen(function* () {
    const meaning = yield* FaqMeaning
    const found = yield* Effect.all([search(question, faq_ids), meaning.like(question, faq_ids)], { concurrency: 2 })
    const faqs = mergeRanks(found)
    const texts = yield* Template.renderAll(
      faqs.map(({ answer }) => answer),
      variables,
    )
    const answers = faqs.map(({ category, question }, at) => ({ question, answer: texts[at] ?? "", category }))
    return { found: answers.length > 0, answers }
  })
}

/** The number of results: enough for a model to choose from. */
const most = 3
/**
 * Reciprocal rank fusion, for lists whose scores cannot be compared: an FAQ in both lists comes before one in a single
 * list.
 */
const rankOffset = 60

const mergeRanks = (lists: ReadonlyArray<ReadonlyArray<FoundFaq>>): ReadonlyArray<FoundFaq> => {
  const faqs = new Map<string, { readonly faq: FoundFaq; score: number }>()
  for (const list of lists) {
    for (const [at, faq] of list.entries()) {
      const known = faqs.get(faq.id) ?? { faq, score: 0 }
      known.score += 1 / (rankOffset + at)
      faqs.set(faq.id, known)
    }
  }
  return [...faqs.values()]
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ faq }) => faq)
}

/** Every FAQ of the account, for an invocation without an agent. */
export const allFaqs = Effect.fn("lookupFaq.allFaqs")(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`select id from faqs order by created_at desc, id desc limit 10000`
  return rows.map(({ id }) => id)
}, Effect.orDie)
