/** Trying a tool or an agent without a call (decisions §1). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AgentDraft, ToolAnswer, ToolDraft, TurnAnswer } from "../domain/Rehearsal.ts"
import { PreviewLimited } from "../rehearsal/PreviewLimit.ts"
import { BrainFailed } from "../rehearsal/Rehearsal.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"

const ToolTrial = Schema.Struct({
  arguments: Schema.optionalKey(Schema.JsonObject.annotate({ description: "Checked against the tool's `schema`." })),
  context: Schema.optionalKey(
    Schema.JsonObject.annotate({
      description:
        "What a call would know: `phone_number`, `variables`, and `agent_id` (UUID or name), whose FAQs and outcome_schema count then; without it all FAQs of the account.",
    }),
  ),
  config: Schema.optionalKey(Schema.JsonObject.annotate({ description: "As an agent's enablement would have it." })),
  tool: Schema.optionalKey(ToolDraft).annotate({
    description: "What is not saved, in the place of what is; judged as a change of the tool would be.",
  }),
}).annotate({ identifier: "ToolTrial", examples: [{ arguments: { question: "What are your opening hours?" } }] })

const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]),
  content: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(20_000)),
})

const TurnTrial = Schema.Struct({
  messages: Schema.optionalKey(Schema.Array(Message).check(Schema.isMaxLength(500))).annotate({
    description:
      "The conversation so far. The agent answers the last message of `user`, the called person. Without messages, the agent greets.",
  }),
  variables: Schema.optionalKey(Schema.JsonObject.annotate({ description: "As a contact's custom_fields." })),
  agent: Schema.optionalKey(AgentDraft).annotate({ description: "What is not saved, in the place of what is." }),
}).annotate({
  identifier: "TurnTrial",
  examples: [
    { messages: [{ role: "user", content: "What are your opening hours?" }], variables: { first_name: "Ada" } },
  ],
})

const agentFailed = BrainFailed.pipe(
  asProblem({ status: 502, code: "agent_failed", title: "The agent gave no answer" }),
)

const previewLimited = PreviewLimited.pipe(asProblem({ status: 429, code: "rate_limited", title: "Too many previews" }))

export class PlaygroundApi extends HttpApiGroup.make("playground")
  .add(
    HttpApiEndpoint.post("invoke", "/api/tools/:id/invoke", {
      params: { id: Schema.String.annotate({ description: "The tool's UUID or name." }) },
      payload: ToolTrial,
      success: ToolAnswer,
      error: [Problems.notFound, Problems.invalidState, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Invoke a tool")
      .annotate(
        OpenApi.Description,
        "What an agent's call of it would give. Arguments that do not fit are a 400 with pointers; the tool's own failure is a 200 with `error`. Built-in tools that act on a call (end_call, transfer_call, send_dtmf, leave_voicemail) only say what they would do; add_to_do_not_call needs `context.phone_number` and does it.",
      ),
    HttpApiEndpoint.post("preview", "/api/agents/:id/preview", {
      params: { id: Schema.String.annotate({ description: "The agent's UUID or name." }) },
      payload: TurnTrial,
      success: TurnAnswer,
      error: [Problems.notFound, ...Problems.costly, agentFailed, previewLimited],
    })
      .annotate(OpenApi.Summary, "Preview an agent's next turn")
      .annotate(
        OpenApi.Description,
        "One stateless turn in text, with the agent's own tools. No call is made, and nothing is added to the do-not-call list. The agent greets first, so a conversation that begins with `user` goes on after its `first_message`. Previews of an account are limited in a minute and at the same moment: beyond that a 429 `rate_limited` with `Retry-After`.",
      ),
  )
  .annotate(OpenApi.Title, "Trying things out")
  .annotate(OpenApi.Description, "A tool or an agent, without a call.")
  // Innermost first: a bad token is refused before a bad body (decisions §2, order of checks).
  .middleware(InvalidRequest)
  .middleware(StrictBody)
  .middleware(Authentication) {}
