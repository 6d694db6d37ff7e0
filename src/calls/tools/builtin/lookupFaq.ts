/** lookup_faq: answers from the agent's own FAQs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { textIn } from "../../JsonValue.ts"
import { ToolFailed } from "../ToolRunner.ts"
import type { BuiltIn } from "./BuiltIn.ts"
import { search } from "./FaqSearch.ts"

export const lookupFaq: BuiltIn = (args, { faq_ids }) => {
  const question = textIn(args, "question")
  if (question === undefined) return new ToolFailed({ code: "invalid_arguments", reason: "question must be a text" })
  return Effect.map(search(question, faq_ids), (answers) => ({ found: answers.length > 0, answers }))
}

/** Every FAQ of the account, for an invocation without an agent. */
export const allFaqs = Effect.fn("lookupFaq.allFaqs")(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`select id from faqs order by created_at desc, id desc limit 10000`
  return rows.map(({ id }) => id)
}, Effect.orDie)
