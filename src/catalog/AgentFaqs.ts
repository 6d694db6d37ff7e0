/** The FAQs that an agent can look up in a call (decisions §2, FAQ). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FaqAttachment } from "../domain/FaqAttachment.ts"
import type { PageRequest } from "../domain/Page.ts"
import { notFoundInAgent, unknownReference } from "../domain/Refusals.ts"
import * as Agents from "./Agents.ts"
import { change } from "./Change.ts"
import * as Faqs from "./Faqs.ts"
import { pageOf } from "./Listing.ts"

const Row = Schema.toType(FaqAttachment)

export const list = Effect.fnUntraced(function* (agentIdOrName: string, page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal("f.id as faq_id, f.name"),
      from: sql.literal("agent_faqs a join faqs f on f.id = a.faq_id"),
      where: [sql`a.agent_id = ${agent.id}`],
      order: sql.literal("a.created_at desc, f.id desc"),
    },
    page,
  )
})

export const attach = Effect.fn("AgentFaqs.attach")(
  function* (agentIdOrName: string, faqIdOrName: string) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(agentIdOrName, "for key share")
    const faq = yield* Faqs.find(faqIdOrName).pipe(
      Effect.catchTag("NotFound", () => unknownReference("/faq_id", "FAQ", faqIdOrName)),
    )
    const inserted = yield* sql`
      insert into agent_faqs ${sql.insert({ agent_id: agent.id, faq_id: faq.id })}
      on conflict do nothing returning faq_id`.pipe(
      // The FAQ was deleted after it was found.
      Effect.catchReason("SqlError", "ConstraintError", () => unknownReference("/faq_id", "FAQ", faqIdOrName)),
    )
    const attachment: FaqAttachment = { faq_id: faq.id, name: faq.name }
    return { attachment, created: inserted.length > 0 }
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

export const detach = Effect.fn("AgentFaqs.detach")(
  function* (agentIdOrName: string, faqIdOrName: string) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(agentIdOrName)
    const faq = yield* Faqs.find(faqIdOrName)
    const removed = yield* sql`
      delete from agent_faqs where agent_id = ${agent.id} and faq_id = ${faq.id} returning faq_id`
    if (removed.length === 0) return yield* notFoundInAgent("FAQ", agent, faq.name)
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)
