/** Administration over HTTP: handlers translate and delegate. */
import { Effect, Struct } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { type Account, accountDefaults, platformAdmin } from "../domain/Account.ts"
import { Member, type Named } from "../domain/Member.ts"
import { inWords } from "../domain/Name.ts"
import { NameTaken } from "../domain/Refusals.ts"
import { checkMatch, etagOf } from "../domain/Revision.ts"
import { Memberships } from "../identity/Memberships.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import { Api } from "./Api.ts"
import { prefixed, tagged } from "./edge/Resource.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "admin",
  Effect.fnUntraced(function* (handlers) {
    const directory = yield* AccountDirectory
    const provisioning = yield* Provisioning
    const memberships = yield* Memberships
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.map(directory.page(query), (page) => ({ ...page, items: page.items.map(({ account }) => account) })),
      create: Effect.fnUntraced(function* ({ payload: { name, slug, ...settings } }) {
        if (slug === platformAdmin) return yield* new NameTaken({ resource: "account", name: slug })
        const account = { ...accountDefaults, ...settingsOf(settings), slug, name: name ?? inWords(slug) }
        const made = yield* provisioning.create(account)
        const location = yield* prefixed(`/api/admin/accounts/${slug}`)
        return HttpApiSchema.withHeaders({ body: made.account, headers: { etag: etagOf(made.revision), location } })
      }),
      get: ({ params }) => Effect.map(directory.find(params.slug), answer),
      update: ({ headers, params, payload: { name, ...settings } }) =>
        provisioning
          .update(params.slug, ({ account, revision }) =>
            Effect.as(checkMatch(headers["if-match"], revision), {
              ...account,
              ...settingsOf(settings),
              name: name ?? account.name,
            }),
          )
          .pipe(Effect.map(answer)),
      remove: ({ params }) => provisioning.drop(params.slug),
      members: ({ params, query }) =>
        Effect.flatMap(directory.find(params.slug), ({ id }) => memberships.list(id, query)),
      putMember: Effect.fnUntraced(function* ({ params, payload: { role, ...named } }) {
        const { id } = yield* directory.find(params.slug)
        const { created, member } = yield* memberships.put(id, nameOf(named), role)
        return yield* Effect.orDie(HttpServerResponse.schemaJson(Member)(member, { status: created ? 201 : 200 }))
      }),
      removeMember: ({ params, query }) =>
        Effect.flatMap(directory.find(params.slug), ({ id }) => memberships.remove(id, nameOf(query))),
    })
  }),
)

const answer = ({ account, revision }: AccountEntry) => tagged({ ...account, revision })

/** What a client sent back of the read-only fields is left behind. */
const settingsOf = (settings: Partial<Account>) =>
  Struct.pick(settings, [
    "concurrent_max",
    "calls_per_minute",
    "calls_per_day",
    "time_zone",
    "calling_window",
    "discoverable",
    "status",
  ])

/** The contract has seen to it that one of the two is there. */
const nameOf = (named: { readonly email?: string; readonly issuer?: string; readonly subject?: string }): Named =>
  named.email === undefined ? { issuer: named.issuer ?? "", subject: named.subject ?? "" } : { email: named.email }
