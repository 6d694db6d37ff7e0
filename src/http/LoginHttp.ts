/** Signing in over HTTP: handlers translate and delegate. */
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type AccountSlug, platformAdmin } from "../domain/Account.ts"
import { Unauthenticated } from "../domain/Principal.ts"
import { Authenticator } from "../identity/Authentication.ts"
import { DevelopmentLogin } from "../identity/DevelopmentLogin.ts"
import { Memberships } from "../identity/Memberships.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { Api } from "./Api.ts"
import { bearerOf } from "./edge/Authentication.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "login",
  Effect.fnUntraced(function* (handlers) {
    const authenticator = yield* Authenticator
    const development = yield* DevelopmentLogin
    const directory = yield* AccountDirectory
    const memberships = yield* Memberships

    const statusOf = (slug: AccountSlug) =>
      Effect.match(directory.find(slug), {
        onFailure: () => "unknown" as const,
        onSuccess: ({ account }) => account.status,
      })

    return handlers.handleAll({
      login: Effect.fnUntraced(function* ({ payload: { account = null, admin = false, email } }) {
        const { issue } = yield* Effect.orDie(Effect.fromOption(development))
        if (account !== null) {
          const { id } = yield* directory.find(account)
          yield* memberships.put(id, { email }, "owner")
        }
        return { ...(yield* issue(email.toLowerCase(), { admin })), token_type: "Bearer" as const, account }
      }),
      accounts: () => Effect.map(directory.discoverable, (items) => ({ items })),
      validate: Effect.fnUntraced(function* ({ params: { account } }) {
        if (account === platformAdmin) return { account, valid: false, reason: "reserved" as const }
        const status = yield* statusOf(account)
        return status === "active" ? { account, valid: true } : { account, valid: false, reason: status }
      }),
      organisation: Effect.fnUntraced(function* ({ request }) {
        const bearer = yield* bearerOf(NodeHttpServerRequest.toIncomingMessage(request).rawHeaders)
        const person = yield* authenticator.identify(bearer)
        if (person._tag === "ApiKey") return yield* new Unauthenticated({ detail: "An API key is no person" })
        const accounts = yield* memberships.accountsOf(person)
        return { subject: person.subject, email: person.email, name: person.name, accounts }
      }),
    })
  }),
)
