/** The callbacks of all campaigns over HTTP: the handler translates and delegates. */
import { HttpApiBuilder } from "effect/http-api"
import * as OutstandingCallbacks from "../campaigns/OutstandingCallbacks.ts"
import { OutstandingCallback } from "../domain/OutstandingCallback.ts"
import { Page } from "../domain/Page.ts"
import { momentAs } from "../domain/Timestamp.ts"
import { Api } from "./Api.ts"
import { answerWriter } from "./edge/Resource.ts"

const page = answerWriter(Page(OutstandingCallback))

export const layer = HttpApiBuilder.group(Api, "callbacks", (handlers) =>
  handlers.handleAll({
    list: ({ query: { from, to, ...filter } }) =>
      page(OutstandingCallbacks.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) })),
  }),
)
