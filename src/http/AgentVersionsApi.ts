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
import { addAccountMiddleware } from "./edge/AccountMiddleware.ts"
import { asProblem } from "./edge/Problem.ts"
import * as Problems from "./edge/Problems.ts"
import { Upserted } from "./edge/Upsert.ts"

const agent = { id: Schema.String.annotate({ description: "The agent's UUID or name.", examples: ["Rosa"] }) }
const one = {
  ...agent,
  version: Schema.String.annotate({ description: "The version number, from 1.", examples: ["1"] }),
}

const against = Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })))

const policy = {
  shared: Schema.optionalKey(
    SharedPolicy.annotate({
      description:
        "What to do about a tool or playbook that has changed since the version and that other agents use too. `refuse` (default): fail with a 409 that names them. `keep`: leave it as it is. `restore`: restore it for all agents that use it, each of which gets a new version.",
    }),
  ),
  missing: Schema.optionalKey(
    MissingPolicy.annotate({
      description:
        "What to do about a tool, playbook or FAQ that was deleted since the version. `refuse` (default): fail with a 409. `leave_out`: restore the agent without it.",
    }),
  ),
}

const notRestorable = NotRestorable.pipe(
  asProblem({ status: 409, code: "not_restorable", title: "Version cannot be restored" }),
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
        "Returns versions, newest first. Each change of the agent's fields, of its tools (their settings and definitions), of the texts of its playbooks or of its set of FAQs creates a version. A save that changes nothing creates none.",
      ),
    HttpApiEndpoint.get("get", "/api/agents/:id/versions/:version", {
      params: one,
      success: AgentVersion,
      error: Problems.notFound,
    })
      .annotate(OpenApi.Summary, "Get a version of an agent")
      .annotate(
        OpenApi.Description,
        "Returns the complete configuration of that version. A version does not contain the secrets of tools; they are masked.",
      ),
    HttpApiEndpoint.get("diff", "/api/agents/:id/versions/:version/diff", {
      params: one,
      query: { against },
      success: AgentVersionDiff,
      error: [Problems.notFound, ...Problems.costly],
    })
      .annotate(OpenApi.Summary, "Compare two versions of an agent")
      .annotate(
        OpenApi.Description,
        "Lists the changed fields. For longer texts, `diff` contains a unified diff; it is null if the texts differ too much or the comparison takes longer than 2 s.",
      ),
    HttpApiEndpoint.post("restore", "/api/agents/:id/versions/:version/restore", {
      params: one,
      query: policy,
      success: Upserted(AgentVersion),
      error: [Problems.notFound, notRestorable],
    })
      .annotate(OpenApi.Summary, "Restore a version of an agent")
      .annotate(
        OpenApi.Description,
        "Restores the agent's configuration from the version and saves it as a new version. Answers 201, or 200 if the agent already equals the version. Tools and playbooks that only this agent uses are restored too. Names are not restored: the agent, its tools and its playbooks keep their present names. Running campaigns keep the version that they started with.",
      ),
  )
  .annotate(OpenApi.Title, "Versions of an agent")
  .annotate(
    OpenApi.Description,
    "The history of an agent's configuration: each version, its author, and a way to restore it.",
  )
  .pipe(addAccountMiddleware) {}
