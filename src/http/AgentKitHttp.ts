/** An agent's tools, playbooks and FAQs over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AgentFaqs from "../catalog/AgentFaqs.ts"
import * as AgentPlaybooks from "../catalog/AgentPlaybooks.ts"
import * as Enablements from "../catalog/Enablements.ts"
import { Enablement } from "../domain/Enablement.ts"
import { Page } from "../domain/Page.ts"
import { Api } from "./Api.ts"
import { answerWriter } from "./edge/Resource.ts"
import { asUpserted } from "./edge/Upsert.ts"

const pathOf = (agent: string, rest: string) => `/api/agents/${encodeURIComponent(agent)}/${rest}`

const page = answerWriter(Page(Enablement))

export const layer = HttpApiBuilder.group(Api, "agent-kit", (handlers) =>
  handlers.handleAll({
    tools: ({ params, query }) => page(Enablements.list(params.id, query)),
    enableTool: ({ params, payload }) =>
      Effect.flatMap(Enablements.set(params.id, payload), ({ created, enablement }) =>
        asUpserted(pathOf(params.id, `tools/${enablement.tool_name}`), enablement, created),
      ),
    disableTool: ({ params }) => Enablements.remove(params.id, params.tool_name),
    playbooks: ({ params, query }) => AgentPlaybooks.list(params.id, query),
    attachPlaybook: ({ params, payload }) =>
      Effect.flatMap(AgentPlaybooks.attach(params.id, payload), ({ attachment, created }) =>
        asUpserted(pathOf(params.id, `playbooks/${attachment.playbook_id}`), attachment, created),
      ),
    detachPlaybook: ({ params }) => AgentPlaybooks.detach(params.id, params.pbId),
    faqs: ({ params, query }) => AgentFaqs.list(params.id, query),
    attachFaq: ({ params, payload }) =>
      Effect.flatMap(AgentFaqs.attach(params.id, payload.faq_id), ({ attachment, created }) =>
        asUpserted(pathOf(params.id, `faqs/${attachment.faq_id}`), attachment, created),
      ),
    detachFaq: ({ params }) => AgentFaqs.detach(params.id, params.faqId),
  }),
)
