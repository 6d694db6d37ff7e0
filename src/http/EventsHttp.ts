/** The event log over HTTP: handlers translate and delegate. */
import { HttpApiBuilder } from "effect/http-api"
import * as EventLog from "../events/EventLog.ts"
import { Api } from "./Api.ts"

export const layer = HttpApiBuilder.group(Api, "events", (handlers) =>
  handlers.handleAll({ list: ({ query }) => EventLog.listAfter(query) }),
)
