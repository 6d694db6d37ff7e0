/** An agent's versions over HTTP: handlers translate and delegate. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AgentRestore from "../catalog/AgentRestore.ts"
import * as AgentVersions from "../catalog/AgentVersions.ts"
import { AgentVersion, AgentVersionDiff } from "../domain/AgentVersion.ts"
import { Api } from "./Api.ts"
import { addPrefix, answerWriter } from "./edge/Resource.ts"

const whole = answerWriter(AgentVersion)
const compared = answerWriter(AgentVersionDiff)

export const layer = HttpApiBuilder.group(Api, "agent-versions", (handlers) =>
  handlers.handleAll({
    list: ({ params, query }) => AgentVersions.list(params.id, query),
    get: ({ params }) => whole(AgentVersions.find(params.id, params.version)),
    diff: ({ params, query }) => compared(AgentVersions.diff(params.id, params.version, query.against)),
    restore: ({ params, query }) =>
      Effect.gen(function* () {
        const { created, version } = yield* AgentRestore.restore(params.id, params.version, query)
        const answer = yield* whole(Effect.succeed(version))
        if (!created) return answer
        const location = yield* addPrefix(`/api/agents/${version.agent_id}/versions/${version.version}`)
        return answer.pipe(HttpServerResponse.setStatus(201), HttpServerResponse.setHeader("location", location))
      }),
  }),
)
