/** An agent's versions over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AgentRestore from "../catalog/AgentRestore.ts"
import * as AgentVersions from "../catalog/AgentVersions.ts"
import { AgentVersion } from "../domain/AgentVersion.ts"
import { Api } from "./Api.ts"
import { written } from "./edge/Resource.ts"
import { upserted } from "./edge/Upsert.ts"

const whole = written(AgentVersion)

export const layer = HttpApiBuilder.group(Api, "agent-versions", (handlers) =>
  handlers.handleAll({
    list: ({ params, query }) => AgentVersions.list(params.id, query),
    get: ({ params }) => whole(AgentVersions.find(params.id, params.version)),
    diff: ({ params, query }) => AgentVersions.diff(params.id, params.version, query.against),
    restore: ({ params, query }) =>
      Effect.flatMap(AgentRestore.restore(params.id, params.version, query), ({ created, version }) =>
        upserted(`/api/agents/${version.agent_id}/versions/${version.version}`, version, created),
      ),
  }),
)
