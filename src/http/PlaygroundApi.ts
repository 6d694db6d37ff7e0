/** Trying a tool or an agent without a call (decisions §1). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AgentDraft, ToolAnswer, ToolDraft, TurnAnswer } from "../domain/Rehearsal.ts"
import { PreviewLimited } from "../rehearsal/PreviewLimit.ts"
import { BrainFailed } from "../rehearsal/Rehearsal.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"

const ToolTrial = Schema.Struct({
  arguments: Schema.optionalKey(
    Schema.JsonObject.annotate({ description: "The arguments. They must match the tool's `schema`." }),
  ),
  context: Schema.optionalKey(
    Schema.JsonObject.annotate({
      description:
        "Facts about the call: `phone_number`, `variables`, and `agent_id` (UUID or name). With `agent_id`, the FAQs and the outcome_schema of that agent apply; without it, all FAQs of the account are searched.",
    }),
  ),
  config: Schema.optionalKey(
    Schema.JsonObject.annotate({ description: "The settings, as in an agent's enablement of the tool." }),
  ),
  tool: Schema.optionalKey(ToolDraft).annotate({
    description: "Unsaved fields, used in place of the saved ones. They are validated like a change of the tool.",
  }),
}).annotate({ identifier: "ToolTrial", examples: [{ arguments: { question: "What are your opening hours?" } }] })

const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]).annotate({
    description: "`user`: the called person. `assistant`: the agent.",
  }),
  content: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(20_000)).annotate({
    description: "What was said.",
  }),
})

const TurnTrial = Schema.Struct({
  messages: Schema.optionalKey(Schema.Array(Message).check(Schema.isMaxLength(500))).annotate({
    description:
      "The conversation so far. The agent answers the last message, which has the role `user` (the called person). Without messages, the agent greets.",
  }),
  variables: Schema.optionalKey(
    Schema.JsonObject.annotate({ description: "Variables for the templates, like a contact's custom_fields." }),
  ),
  agent: Schema.optionalKey(AgentDraft).annotate({ description: "Unsaved fields, used in place of the saved ones." }),
}).annotate({
  identifier: "TurnTrial",
  examples: [
    { messages: [{ role: "user", content: "What are your opening hours?" }], variables: { first_name: "Ada" } },
  ],
})

const agentFailed = BrainFailed.pipe(
  asProblem({ status: 502, code: "agent_failed", title: "The agent did not answer" }),
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
        "Runs the tool as an agent would and returns its result. Arguments that do not match the schema are a 400 with pointers. If the tool itself fails, the answer is a 200 with `error`. Built-in tools that act on a call (end_call, transfer_call, send_dtmf, leave_voicemail, pause_recording, resume_recording) only report what they would do. add_to_do_not_call requires `context.phone_number` and adds that number to the list.",
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
        "Runs one stateless turn in text with the agent's tools. No call is placed, and nothing is added to the do-not-call list. The agent greets first, so a conversation that begins with `user` continues after its `first_message`. In each process an account may run 8 previews at a time and 60 a minute (`PARLEY_PREVIEWS_PER_MINUTE`); beyond that the request fails with 429 `rate_limited` and `Retry-After`.",
      ),
  )
  .annotate(OpenApi.Title, "Playground")
  .annotate(OpenApi.Description, "Invoke a tool, or preview an agent's next turn, without placing a call.")
  // Middleware is added from the inside out: a bad token is refused before a bad body (decisions §2, order of checks).
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(StrictBody)
  .middleware(Authentication) {}
