/**
 * Widget sessions with one agent, whose tokens are valid for five minutes. Decides which keys may begin a session, and
 * which tokens and origins may open it.
 */
import { Context, Effect, Layer, Option } from "effect"
import { AccountElsewhere, type AccountUnavailable } from "../domain/Account.ts"
import { AccountSuspended, Unauthenticated } from "../domain/Principal.ts"
import { OriginForbidden, type WidgetKeyKind } from "../domain/WidgetKey.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { Cell, cellOf } from "../tenancy/Cell.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as WidgetKeys from "./WidgetKeys.ts"
import * as WidgetToken from "./WidgetToken.ts"

export interface About {
  readonly user: typeof WidgetToken.Facts.Type | null
  readonly variables: typeof WidgetToken.Facts.Type
}

export interface WidgetSession extends About {
  readonly id: string
  readonly account: AccountEntry
  /** The id of the widget key with which the session was begun. */
  readonly key: string
  readonly agent_id: string
  /** The first message of the key; null for the agent's own. */
  readonly greeting: string | null
}

export interface Begun {
  /** The id of the widget key. */
  readonly key: string
  readonly token: string
  readonly agent: WidgetKeys.HeldWidgetKey["agent"]
}

/** Begins a session for a visitor who is known to the customer's server. */
export type ServerSession = (about: About) => Effect.Effect<Begun>

/** The `Origin` that a browser sent. */
type Origin = Option.Option<string>

type Refused = Unauthenticated | OriginForbidden | AccountSuspended | AccountUnavailable

export class WidgetSessions extends Context.Service<
  WidgetSessions,
  {
    /**
     * The key, its theme and its agent, for the button of a page. A request from a server has no origin; a page must be
     * at one of the key's origins.
     */
    readonly show: (key: string, origin: Origin) => Effect.Effect<WidgetKeys.HeldWidgetKey, Refused>
    /** Begins a session for a visitor of a page, which must be at one of the key's origins. */
    readonly beginInPage: (key: string, origin: Origin) => Effect.Effect<Begun, Refused>
    /** Verifies the secret key of a customer's server, which never comes from a page. The result begins sessions. */
    readonly enterByServer: (key: string, origin: Origin) => Effect.Effect<ServerSession, Refused>
    /**
     * Verifies a session's token. Deleting the key ends its sessions. With a public key, the page must be at one of the
     * key's origins. With a secret key, any page may use the session, unless the key lists origins. Fails if another cell
     * serves the account.
     */
    readonly open: (token: string, origin: Origin) => Effect.Effect<WidgetSession, Refused | AccountElsewhere>
    /**
     * Fails if, since the session was opened, its key was deleted, the origin was removed from the key, or the account
     * was suspended, deleted or moved to another cell.
     */
    readonly check: (session: WidgetSession, origin: Origin) => Effect.Effect<void, Refused | AccountElsewhere>
  }
>()("identity/WidgetSessions") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const directory = yield* AccountDirectory
      const tenants = yield* TenantDatabases
      const cell = yield* Cell

      /** Runs after the token was verified, as `refuseSuspended` does. */
      const refuseElsewhere = ({ account: { slug }, server }: AccountEntry) =>
        cell.serves(server) ? Effect.void : Effect.fail(new AccountElsewhere({ slug, cell: cellOf(server) }))

      const accountOf = Effect.fnUntraced(function* (id: string) {
        const account = yield* directory.findById(id)
        return Option.isNone(account) ? yield* WidgetKeys.unknownKey() : account.value
      })

      const present = Effect.fn("WidgetSessions.present")(function* (text: string, as: WidgetKeyKind, origin: Origin) {
        const presented = WidgetKeys.parse(text)
        if (Option.isNone(presented)) return yield* WidgetKeys.unknownKey()
        const account = yield* accountOf(presented.value.account_id)
        // Only the account's database could verify the key.
        if (!cell.serves(account.server)) return yield* WidgetKeys.unknownKey()
        const tenant = yield* tenants.open(account)
        const held = yield* Effect.provideContext(WidgetKeys.authenticate(presented.value), tenant)
        yield* refuseSuspended(account)
        if (held.kind === "secret" && Option.isSome(origin)) return yield* new OriginForbidden({ reason: "secret_key" })
        if (held.kind !== as) return yield* new Unauthenticated({ detail: `This endpoint requires a ${as} key` })
        if (held.kind === "public" && Option.isSome(origin) && !held.origins.includes(origin.value)) {
          return yield* new OriginForbidden({ reason: "not_listed" })
        }
        return { account, held }
      }, Effect.scoped)

      const show = (key: string, origin: Origin) => Effect.map(present(key, "public", origin), ({ held }) => held)

      const beginInPage = Effect.fnUntraced(function* (key: string, origin: Origin) {
        const { account, held } = yield* present(key, "public", origin)
        if (Option.isNone(origin)) return yield* new OriginForbidden({ reason: "missing" })
        return yield* issue(account, held, { user: null, variables: {} })
      })

      const enterByServer = (key: string, origin: Origin) =>
        Effect.map(
          present(key, "secret", origin),
          ({ account, held }): ServerSession =>
            (about) =>
              issue(account, held, about),
        )

      const open = Effect.fn("WidgetSessions.open")(function* (token: string, origin: Origin) {
        const { accountId, signed } = yield* WidgetToken.parse(token)
        const account = yield* accountOf(accountId)
        const { agent: agent_id, jti: id, key, user, variables } = yield* WidgetToken.verify(signed, account)
        yield* refuseSuspended(account)
        yield* refuseElsewhere(account)
        const { greeting } = yield* findKey(tenants, account, key, origin)
        return { id, account, key, agent_id, greeting, user, variables }
      })

      const check = Effect.fnUntraced(function* ({ account, key }: WidgetSession, origin: Origin) {
        const present = yield* accountOf(account.id)
        yield* refuseSuspended(present)
        yield* refuseElsewhere(present)
        yield* findKey(tenants, present, key, origin)
      })

      return { show, beginInPage, enterByServer, open, check }
    }),
  )
}

/** Comes after the key or the token was verified: a stranger does not learn which accounts there are. */
const refuseSuspended = ({ account: { slug, status } }: AccountEntry) =>
  status === "suspended" ? Effect.fail(new AccountSuspended({ slug })) : Effect.void

const issue = Effect.fnUntraced(function* (account: AccountEntry, held: WidgetKeys.HeldWidgetKey, about: About) {
  const token = yield* WidgetToken.sign(account, { key: held.id, agent: held.agent.id, ...about })
  return { token, key: held.id, agent: held.agent }
})

/** The key of a session, unless it was deleted or the page may no longer use it. */
const findKey = Effect.fnUntraced(function* (
  tenants: TenantDatabases["Service"],
  account: AccountEntry,
  id: string,
  origin: Origin,
) {
  const key = yield* Effect.provideContext(WidgetKeys.find(id), yield* tenants.open(account))
  if (key === undefined) return yield* WidgetToken.invalidSession()
  const fault = originFault(key, origin)
  if (fault !== undefined) return yield* fault
  return key
}, Effect.scoped)

/** Why the page may not use a session of the key; undefined if it may. */
const originFault = (
  { kind, origins }: Pick<WidgetKeys.HeldWidgetKey, "kind" | "origins">,
  origin: Origin,
): OriginForbidden | undefined => {
  if (kind === "public" && Option.isNone(origin)) return new OriginForbidden({ reason: "missing" })
  const isListed = Option.isNone(origin) || origins.includes(origin.value)
  return !isListed && (kind === "public" || origins.length > 0)
    ? new OriginForbidden({ reason: "not_listed" })
    : undefined
}
