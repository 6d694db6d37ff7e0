/** The documented agent endpoints (decisions §1 and §2). Contract only: no handler, no database. */
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Agent, agentReadOnly, Model, Voice } from "../domain/Agent.ts"
import { NameInput } from "../domain/Name.ts"
import { Page, pageQuery, Search } from "../domain/Page.ts"
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { system_prompt, description, first_message, language, temperature } = Agent.fields
const { max_call_seconds, silence_timeout_seconds, interruptible, voicemail_action, recording } = Agent.fields
const { disclosure, dispositions, opt_out_key, outcome_schema, recording_notice } = Agent.fields

const name = NameInput.annotate({ description: "Unique within the account. Paths accept it in place of the id." })

/**
 * Parts of a voice or a model that are left out keep their value in a change, and take the installation's default in a
 * new agent.
 */
const optional = {
  description: Schema.optionalKey(description),
  first_message: Schema.optionalKey(first_message),
  language: Schema.optionalKey(language),
  voice: Schema.optionalKey(
    Voice.mapFields(Struct.map(Schema.optionalKey)).annotate({ description: "The voice that the agent speaks with." }),
  ),
  model: Schema.optionalKey(
    Model.mapFields(Struct.map(Schema.optionalKey)).annotate({
      description: "The language model that decides what the agent says and does.",
    }),
  ),
  temperature: Schema.optionalKey(temperature),
  max_call_seconds: Schema.optionalKey(max_call_seconds),
  silence_timeout_seconds: Schema.optionalKey(silence_timeout_seconds),
  interruptible: Schema.optionalKey(interruptible),
  voicemail_action: Schema.optionalKey(voicemail_action),
  recording: Schema.optionalKey(recording),
  recording_notice: Schema.optionalKey(recording_notice),
  disclosure: Schema.optionalKey(disclosure),
  opt_out_key: Schema.optionalKey(opt_out_key),
  outcome_schema: Schema.optionalKey(outcome_schema),
  dispositions: Schema.optionalKey(dispositions),
}

const example = {
  name: "Rosa",
  system_prompt:
    'You are Rosa of Trattoria Roma. Remind {{first_name | default: "the guest"}} of the table on {{day}}.',
  first_message: 'Hello {{first_name | default: "there"}}, this is Rosa of Trattoria Roma.',
  max_call_seconds: 300,
}

const NewAgent = writable({ name, system_prompt, ...optional }, agentReadOnly).annotate({
  identifier: "NewAgent",
  examples: [example],
})
const AgentChange = writable(
  { name: Schema.optionalKey(name), system_prompt: Schema.optionalKey(system_prompt), ...optional },
  agentReadOnly,
).annotate({ identifier: "AgentChange", examples: [{ temperature: 0.5, voice: { speed: 1.1 } }] })

const byId = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }

export class AgentsApi extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/api/agents", {
      query: { ...pageQuery(), search: Schema.optionalKey(Search) },
      success: Page(Agent),
    })
      .annotate(OpenApi.Summary, "List agents")
      .annotate(OpenApi.Description, "Returns agents, newest first. `search` matches name and description."),
    HttpApiEndpoint.get("get", "/api/agents/:id", { params: byId, success: Tagged(Agent), error: Problems.notFound })
      .annotate(OpenApi.Summary, "Get an agent")
      .annotate(OpenApi.Description, "Looks the agent up by UUID or by name."),
    HttpApiEndpoint.post("create", "/api/agents", {
      payload: NewAgent,
      success: Created(Agent),
      error: [Problems.invalid, Problems.nameTaken, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Create an agent")
      .annotate(
        OpenApi.Description,
        "`system_prompt` and `first_message` are Liquid templates; a template that does not parse is a 400. Parts of `voice` and `model` that you omit take the defaults of the installation. A new agent has no tools: enable each tool with `POST /api/agents/{id}/tools`.",
      ),
    HttpApiEndpoint.put("update", "/api/agents/:id", {
      params: byId,
      headers: ifMatch,
      payload: AgentChange,
      success: Tagged(Agent),
      error: [Problems.invalid, Problems.notFound, Problems.nameTaken, Problems.preconditionFailed, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Change an agent")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value, including the fields inside `voice` and `model`. Calls in progress continue with the agent as it was when they began.",
      ),
    HttpApiEndpoint.delete("remove", "/api/agents/:id", {
      params: byId,
      headers: ifMatch,
      success: HttpApiSchema.NoContent,
      error: [Problems.notFound, Problems.inUse, Problems.preconditionFailed],
    })
      .annotate(OpenApi.Summary, "Delete an agent")
      .annotate(
        OpenApi.Description,
        "Deletes the agent with its enablements and attachments. Fails with 409 `in_use` while a campaign that has not ended, a phone number or a widget key refers to the agent.",
      ),
  )
  .annotate(OpenApi.Title, "Agents")
  .annotate(OpenApi.Description, "The configuration of the voice on a call: prompt, voice, model and behaviour.")
  .pipe(addAccountMiddleware) {}
