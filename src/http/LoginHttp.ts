/** Signing in over HTTP: handlers translate and delegate. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as SignIn from "../identity/SignIn.ts"
import { Api } from "./Api.ts"
import { bearerOf } from "./edge/Authentication.ts"

export const layer = HttpApiBuilder.group(Api, "login", (handlers) =>
  handlers.handleAll({
    // Without a development login, the contract's middleware has already refused.
    login: ({ payload }) => SignIn.login(payload).pipe(Effect.catchTag("NotFound", Effect.die)),
    accounts: () => SignIn.accounts,
    validate: ({ params }) => SignIn.validate(params.account),
    organisation: ({ request }) =>
      Effect.flatMap(bearerOf(NodeHttpServerRequest.toIncomingMessage(request).rawHeaders), SignIn.organisation),
  }),
)
