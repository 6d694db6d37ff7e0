/** An agent's kit: the documented endpoints of its tools, playbooks and FAQs (spec §4, decisions §2). Contract only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Enablement, enablementReadOnly } from "../domain/Enablement.ts"
import { FaqAttachment } from "../domain/FaqAttachment.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { PlaybookAttachment } from "../domain/Playbook.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { writable } from "./edge/Resource.ts"
import { Upserted } from "./edge/Upsert.ts"

const IdOrName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

const NewEnablement = writable(
  {
    tool_name: Enablement.fields.tool_name,
    config: Schema.optionalKey(Enablement.fields.config),
    enabled: Schema.optionalKey(Enablement.fields.enabled),
  },
  enablementReadOnly,
).annotate({ identifier: "NewEnablement", examples: [{ tool_name: "end_call", config: {}, enabled: true }] })

const NewPlaybookAttachment = writable(
  {
    playbook_id: IdOrName.annotate({ description: "The playbook's UUID or name." }),
    position: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({
        description: "Where the playbook stands in the prompt. Defaults to the end.",
      }),
    ),
  },
  ["name", "missing_tools"],
).annotate({ identifier: "NewPlaybookAttachment", examples: [{ playbook_id: "opt_out_manners" }] })

const NewFaqAttachment = writable({ faq_id: IdOrName.annotate({ description: "The FAQ's UUID or name." }) }, [
  "name",
]).annotate({ identifier: "NewFaqAttachment", examples: [{ faq_id: "are-you-a-robot" }] })

const agent = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }
const idOrName = (what: string) => Schema.String.annotate({ description: `The ${what}'s UUID or name.` })

export class AgentKitApi extends HttpApiGroup.make("agent-kit")
  .add(
    HttpApiEndpoint.get("tools", "/api/agents/:id/tools", {
      params: agent,
      query: pageQuery(),
      success: Page(Enablement),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's tools")
      .annotate(
        OpenApi.Description,
        "Returns every tool that was given to the agent, newest first, including those with `enabled` false.",
      ),
    HttpApiEndpoint.post("enableTool", "/api/agents/:id/tools", {
      params: agent,
      payload: NewEnablement,
      success: Upserted(Enablement),
      error: [Problems.notFound, Problems.unknownReference],
    })
      .annotate(OpenApi.Summary, "Enable a tool for an agent")
      .annotate(
        OpenApi.Description,
        "Answers 201 if the agent did not have the tool. Otherwise replaces `config` and `enabled` and answers 200.",
      ),
    HttpApiEndpoint.delete("disableTool", "/api/agents/:id/tools/:tool_name", {
      params: { ...agent, tool_name: Schema.String.annotate({ description: "The tool's name or UUID." }) },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Remove a tool from an agent")
      .annotate(
        OpenApi.Description,
        "Removes the tool and its settings from this agent. The tool itself is not deleted.",
      ),

    HttpApiEndpoint.get("playbooks", "/api/agents/:id/playbooks", {
      params: agent,
      query: pageQuery(),
      success: Page(PlaybookAttachment),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's playbooks")
      .annotate(OpenApi.Description, "Playbooks in the order in which they are added to the prompt."),
    HttpApiEndpoint.post("attachPlaybook", "/api/agents/:id/playbooks", {
      params: agent,
      payload: NewPlaybookAttachment,
      success: Upserted(PlaybookAttachment),
      error: [Problems.notFound, Problems.unknownReference],
    })
      .annotate(OpenApi.Summary, "Attach a playbook to an agent")
      .annotate(
        OpenApi.Description,
        "Answers 201 if the playbook was not attached. Otherwise moves it to `position`, if you send one, and answers 200. `missing_tools` lists the tools that the playbook names and the agent has not enabled.",
      ),
    HttpApiEndpoint.delete("detachPlaybook", "/api/agents/:id/playbooks/:pbId", {
      params: { ...agent, pbId: idOrName("playbook") },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Detach a playbook from an agent")
      .annotate(OpenApi.Description, "Removes the playbook from this agent. The playbook itself is not deleted."),

    HttpApiEndpoint.get("faqs", "/api/agents/:id/faqs", {
      params: agent,
      query: pageQuery(),
      success: Page(FaqAttachment),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's FAQs")
      .annotate(OpenApi.Description, "Returns the FAQs of the agent, the latest attachment first."),
    HttpApiEndpoint.post("attachFaq", "/api/agents/:id/faqs", {
      params: agent,
      payload: NewFaqAttachment,
      success: Upserted(FaqAttachment),
      error: [Problems.notFound, Problems.unknownReference],
    })
      .annotate(OpenApi.Summary, "Attach a FAQ to an agent")
      .annotate(OpenApi.Description, "Answers 201 if the FAQ was not attached, 200 if it already was."),
    HttpApiEndpoint.delete("detachFaq", "/api/agents/:id/faqs/:faqId", {
      params: { ...agent, faqId: idOrName("FAQ") },
      success: HttpApiSchema.NoContent,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Detach a FAQ from an agent")
      .annotate(OpenApi.Description, "Removes the FAQ from this agent. The FAQ itself is not deleted."),
  )
  .annotate(OpenApi.Title, "Tools, playbooks and FAQs of an agent")
  .annotate(OpenApi.Description, "An agent uses only the tools, playbooks and FAQs that you attach to it here.")
  .pipe(addAccountMiddleware) {}
