/** Tests of tools and agents without a call, over HTTP: handlers translate and delegate. */
import { HttpApiBuilder } from "effect/http-api"
import * as Rehearsal from "../rehearsal/Rehearsal.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(Api, "playground", (handlers) =>
  handlers.handleAll({
    invoke: ({ params, payload }) => Rehearsal.invokeTool(params.id, payload),
    preview: ({ params, payload }) => Rehearsal.preview(params.id, payload),
  }),
)
