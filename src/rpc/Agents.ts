/** Agents over the router: their settings, their tools, playbooks and FAQs, and a turn to try one. */
import { Effect } from "effect"
import * as AgentFaqs from "../catalog/AgentFaqs.ts"
import * as AgentSave from "../catalog/AgentSave.ts"
import * as AgentPlaybooks from "../catalog/AgentPlaybooks.ts"
import * as Catalog from "../catalog/Agents.ts"
import * as Enablements from "../catalog/Enablements.ts"
import { Agent } from "../domain/Agent.ts"
import { Enablement } from "../domain/Enablement.ts"
import { FaqAttachment } from "../domain/FaqAttachment.ts"
import { Page } from "../domain/Page.ts"
import { PlaybookAttachment } from "../domain/Playbook.ts"
import { TurnAnswer } from "../domain/Rehearsal.ts"
import * as Rehearsal from "../rehearsal/Rehearsal.ts"
import { agentVersions } from "./AgentVersions.ts"
import { Nothing, Tagged, withEtag } from "./Answers.ts"
import * as Inputs from "./inputs/Agents.ts"
import { mutation, query, router, unkeyedMutation } from "./Procedure.ts"
import { scenarioRuns } from "./ScenarioRuns.ts"

const Answer = Tagged(Agent)

export const agents = router({
  list: query("read", Inputs.AgentList, Page(Agent), Catalog.list),
  get: query("read", Inputs.AgentKey, Answer, ({ id }) => Effect.map(Catalog.find(id), withEtag)),
  create: mutation("write", Inputs.NewAgent, Answer, (agent) => Effect.map(Catalog.create(agent), withEtag)),
  update: mutation("write", Inputs.AgentUpdate, Answer, ({ etag, id, ...change }) =>
    Effect.map(Catalog.update(id, change, etag), withEtag),
  ),
  save: mutation("write", Inputs.AgentSave, Answer, ({ etag, id, kit = {}, ...change }) =>
    Effect.map(AgentSave.save(id, change, kit, etag), withEtag),
  ),
  remove: mutation("write", Inputs.AgentKey, Nothing, ({ id }) => Catalog.remove(id)),
  preview: unkeyedMutation("write", Inputs.AgentTrial, TurnAnswer, ({ id, ...turn }) => Rehearsal.preview(id, turn)),
  versions: agentVersions,
  scenarioRuns,

  tools: router({
    list: query("read", Inputs.AgentItems, Page(Enablement), ({ agent_id, ...page }) =>
      Enablements.list(agent_id, page),
    ),
    enable: mutation("write", Inputs.ToolOfAgent, Enablement, ({ agent_id, ...wanted }) =>
      Effect.map(Enablements.set(agent_id, wanted), ({ enablement }) => enablement),
    ),
    disable: mutation("write", Inputs.ToolOfAgentKey, Nothing, ({ agent_id, tool_name }) =>
      Enablements.remove(agent_id, tool_name),
    ),
  }),
  playbooks: router({
    list: query("read", Inputs.AgentItems, Page(PlaybookAttachment), ({ agent_id, ...page }) =>
      AgentPlaybooks.list(agent_id, page),
    ),
    attach: mutation("write", Inputs.PlaybookOfAgent, PlaybookAttachment, ({ agent_id, ...wanted }) =>
      Effect.map(AgentPlaybooks.attach(agent_id, wanted), ({ attachment }) => attachment),
    ),
    detach: mutation("write", Inputs.PlaybookOfAgentKey, Nothing, ({ agent_id, playbook_id }) =>
      AgentPlaybooks.detach(agent_id, playbook_id),
    ),
  }),
  faqs: router({
    list: query("read", Inputs.AgentItems, Page(FaqAttachment), ({ agent_id, ...page }) =>
      AgentFaqs.list(agent_id, page),
    ),
    attach: mutation("write", Inputs.FaqOfAgent, FaqAttachment, ({ agent_id, faq_id }) =>
      Effect.map(AgentFaqs.attach(agent_id, faq_id), ({ attachment }) => attachment),
    ),
    detach: mutation("write", Inputs.FaqOfAgentKey, Nothing, ({ agent_id, faq_id }) =>
      AgentFaqs.detach(agent_id, faq_id),
    ),
  }),
})
