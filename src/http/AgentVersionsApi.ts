/**
 * An agent's history: the documented endpoints of its versions (decision 0016). Contract only: no handler, no database.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  AgentVersion,
  AgentVersionDiff,
  AgentVersionSummary,
  MissingPolicy,
  NotRestorable,
  SharedPolicy,
} from "../domain/AgentVersion.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { Authentication } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"
import { Upserted } from "./edge/Upsert.ts"

const agent = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }
const one = {
  ...agent,
  version: Schema.String.annotate({ description: "The number of the version.", examples: ["1"] }),
}

const against = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
    description: "The version to compare with; the one before if left out. 0: none, so that everything is new.",
  }),
)

const policy = {
  shared: Schema.optionalKey(
    SharedPolicy.annotate({
      description:
        "A tool or playbook that has changed since and that other agents use too: `refuse`, or left out, is a 409 that names them, `keep` leaves it as it is, `restore` takes it back for all of them, which makes a version of each.",
    }),
  ),
  missing: Schema.optionalKey(
    MissingPolicy.annotate({
      description:
        "A tool, playbook or FAQ that was deleted since: `refuse`, or left out, is a 409, `leave_out` goes on without it.",
    }),
  ),
}

const notRestorable = NotRestorable.pipe(
  asProblem({ status: 409, code: "not_restorable", title: "The agent cannot be what it was" }),
)

export class AgentVersionsApi extends HttpApiGroup.make("agent-versions")
  .add(
    HttpApiEndpoint.get("list", "/api/agents/:id/versions", {
      params: agent,
      query: pageQuery(),
      success: Page(AgentVersionSummary),
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "List an agent's versions")
      .annotate(
        OpenApi.Description,
        "Newest first. Every change of what the agent is makes one: of its fields, of its tools with their settings and definitions, of its playbooks with their texts, of which FAQs it has. A save that changes nothing makes none.",
      ),
    HttpApiEndpoint.get("get", "/api/agents/:id/versions/:version", {
      params: one,
      success: AgentVersion,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a version of an agent")
      .annotate(OpenApi.Description, "All that it was. Secrets of tools are no part of it: they come back as a mask."),
    HttpApiEndpoint.get("diff", "/api/agents/:id/versions/:version/diff", {
      params: one,
      query: { against },
      success: AgentVersionDiff,
      error: [Problems.notFound, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Compare two versions of an agent")
      .annotate(
        OpenApi.Description,
        "Field by field; longer texts also as a unified diff, null where too much differs or comparing takes longer than 2 s.",
      ),
    HttpApiEndpoint.post("restore", "/api/agents/:id/versions/:version/restore", {
      params: one,
      query: policy,
      success: Upserted(AgentVersion),
      error: [Problems.notFound, notRestorable],
    })
      .annotate(OpenApi.Summary, "Go back to a version of an agent")
      .annotate(
        OpenApi.Description,
        "The agent becomes what the version says, which is a new version: 201, or 200 when it is that already. Tools and playbooks that this agent alone uses go back with it. Names do not: the agent, its tools and its playbooks keep the names that they have now. Running campaigns keep the version that they have.",
      ),
  )
  .annotate(OpenApi.Title, "An agent's versions")
  .annotate(OpenApi.Description, "What an agent was at each of its changes, who made them, and the way back.")
  .middleware(InvalidRequest)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Authentication) {}
