/** Authentication and permission of every protected path (the order of decisions §2, Errors). */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect, Layer, Option, References, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { AccountSlug, platformAdmin } from "../../domain/Account.ts"
import {
  AccountHeaderInvalid,
  AdminRequired,
  CurrentPrincipal,
  type Identity,
  type Permission,
  permit,
  ReservedAccount,
  Unauthenticated,
} from "../../domain/Principal.ts"
import { type Invalid, invalid } from "../../domain/Refusals.ts"
import { Authenticator } from "../../identity/Authentication.ts"
import { checkOnce, Standing, StillStanding, whileStanding } from "../../identity/Standing.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import { PlatformDatabase } from "../../tenancy/PlatformDatabase.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"
import { RequestFacts } from "./AccessLog.ts"
import * as Problems from "./Problems.ts"
import { RateLimit } from "./RateLimit.ts"

/** The permission of an endpoint if its method does not imply it: GET reads, all others write. */
export class Needs extends Context.Service<Needs, Permission>()("http/Needs") {}

/**
 * Releases the account's database before the answer is over: a stream that is open for hours has read what it needs,
 * and there are fewer open databases than there may be accounts with a reader.
 */
export const ReleaseTenant = Context.Reference<Effect.Effect<void>>("http/ReleaseTenant", {
  defaultValue: () => Effect.void,
})

/** The platform administrator of a request that acts on no account; an account's request has a `CurrentPrincipal`. */
export const CurrentAdministrator = Context.Reference<Identity | undefined>("http/CurrentAdministrator", {
  defaultValue: () => undefined,
})

const refusedAtTheDoor = [
  Problems.invalid,
  Problems.accountHeaderInvalid,
  Problems.reservedAccount,
  Problems.unauthenticated,
  Problems.issuerUnreachable,
] as const

/** Names and values alternately, as they were sent. */
export type RawHeaders = ReadonlyArray<string>

/** The services of a member's request. */
export type OfMember = CurrentPrincipal | CurrentTenant | SqlClient.SqlClient

/**
 * Admits a member of the account that the headers name, if the member has the permission. Provides the account's
 * database.
 */
export const memberDoor = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const tenants = yield* TenantDatabases
  const limit = yield* RateLimit

  /** Identifies the member; the scope holds the account's database. */
  const admit = Effect.fnUntraced(function* (headers: RawHeaders) {
    const slug = yield* accountOf(headers)
    const identified = yield* Effect.flatMap(bearerOf(headers), authenticator.identify)
    const entry = yield* authenticator.locate(identified, slug)
    yield* authenticator.refuseElsewhere(identified, entry)
    const { giveBack, services } = yield* tenants.borrow(entry)
    const sql = Context.get(services, SqlClient.SqlClient)
    const principal = yield* Effect.provideService(authenticator.admit(identified, entry), SqlClient.SqlClient, sql)
    const [credential] = valuesOf(headers, "authorization")
    if (credential !== undefined) limit.admit(credential)
    return { entry, giveBack, principal, sql }
  })

  const enter = Effect.fnUntraced(function* <A, E, R>(
    headers: RawHeaders,
    permission: Permission,
    effect: Effect.Effect<A, E, R>,
  ) {
    const { entry, giveBack, principal, sql } = yield* admit(headers)
    const { slug } = entry.account
    const facts = yield* RequestFacts
    if (facts !== undefined) facts.account = slug
    yield* Effect.fromResult(permit(principal, permission))
    const check = Effect.scoped(
      Effect.flatMap(admit(headers), ({ principal }) =>
        Effect.as(Effect.fromResult(permit(principal, permission)), principal.expires_at),
      ),
    )
    // One change of the context instead of a merge, which would copy all of it.
    return yield* Effect.updateContext(
      effect,
      (context: Context.Context<Exclude<R, OfMember>>) =>
        context.pipe(
          Context.add(SqlClient.SqlClient, sql),
          Context.add(CurrentTenant, entry),
          Context.add(CurrentPrincipal, principal),
          Context.add(ReleaseTenant, giveBack),
          Context.add(References.CurrentLogAnnotations, {
            ...Context.get(context, References.CurrentLogAnnotations),
            account: slug,
          }),
          Context.add(
            Standing,
            Effect.suspend(() => whileStanding(check, principal.expires_at)),
          ),
          Context.add(StillStanding, Effect.asVoid(checkOnce(check))),
        ) as Context.Context<R>,
    )
  })

  /** Fails unless the token is valid, and its holder a member of the account, if the headers name one. */
  const prove = (headers: RawHeaders): Effect.Effect<unknown, unknown> =>
    valuesOf(headers, "x-account-id").length > 0
      ? Effect.scoped(admit(headers))
      : Effect.flatMap(bearerOf(headers), authenticator.identify)

  return { enter, prove }
})

/** Admits platform administrators, and provides the platform's database. */
export const administratorDoor = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const platform = yield* PlatformDatabase
  return Effect.fnUntraced(function* <A, E, R>(headers: RawHeaders, effect: Effect.Effect<A, E, R>) {
    const slug = valuesOf(headers, "x-account-id").length > 0 ? yield* accountOf(headers) : undefined
    const identified = yield* Effect.flatMap(bearerOf(headers), authenticator.identify)
    // Administrators are members of no account, but an account that they name must exist (decisions §2, Account).
    if (slug !== undefined) yield* authenticator.locate(identified, slug)
    const [asked] = valuesOf(headers, "x-admin")
    if (asked?.trim().toLowerCase() !== "true") return yield* new AdminRequired({ missing: "header" })
    const administrator = yield* authenticator.administrator(identified)
    return yield* effect.pipe(
      Effect.provideService(SqlClient.SqlClient, platform),
      Effect.provideService(CurrentAdministrator, administrator),
    )
  })
})

/**
 * Admits members of an account. Provides the account's database until the answer has been sent, even a streamed one.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: OfMember }>()(
  "http/Authentication",
  {
    error: [
      ...refusedAtTheDoor,
      Problems.accountNotFound,
      Problems.notAMember,
      Problems.accountSuspended,
      Problems.missingRole,
      Problems.missingScope,
      Problems.accountElsewhere,
      Problems.accountUnavailable,
    ],
    security: { bearer: HttpApiSecurity.bearer },
  },
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(memberDoor, ({ enter }) =>
      Authentication.of({
        bearer: (httpEffect, { endpoint }) =>
          Effect.flatMap(rawHeaders, (headers) => enter(headers, permissionOf(endpoint), httpEffect)),
      }),
    ),
  )
}

/** Admits platform administrators. The `SqlClient` is the platform's (decisions §2, Account). */
export class Administration extends HttpApiMiddleware.Service<Administration, { provides: SqlClient.SqlClient }>()(
  "http/Administration",
  {
    error: [...refusedAtTheDoor, Problems.accountNotFound, Problems.adminRequired],
    security: { bearer: HttpApiSecurity.bearer },
  },
) {
  static readonly layer = Layer.effect(
    this,
    Effect.map(administratorDoor, (enter) =>
      Administration.of({
        bearer: (httpEffect) => Effect.flatMap(rawHeaders, (headers) => enter(headers, httpEffect)),
      }),
    ),
  )
}

const permissionOf = (endpoint: HttpApiEndpoint.Top): Permission =>
  Option.getOrElse(Context.getOption(endpoint.annotations, Needs), () =>
    endpoint.method === "GET" || endpoint.method === "HEAD" ? "read" : "write",
  )

/** Node folds repeated headers into one; only the raw list has them all (decisions §2). */
const rawHeaders = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request) => NodeHttpServerRequest.toIncomingMessage(request).rawHeaders,
)

const valuesOf = (headers: RawHeaders, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let at = 1; at < headers.length; at += 2) {
    const value = headers[at]
    if (value !== undefined && headers[at - 1]?.toLowerCase() === name) values.push(value)
  }
  return values
}

const isSlug = Schema.is(AccountSlug)

const accountOf = (headers: RawHeaders): Effect.Effect<AccountSlug, AccountHeaderInvalid | ReservedAccount> => {
  const [slug, another] = valuesOf(headers, "x-account-id")
  if (slug === undefined) return Effect.fail(new AccountHeaderInvalid({ reason: "missing" }))
  if (another !== undefined) return Effect.fail(new AccountHeaderInvalid({ reason: "repeated" }))
  if (!isSlug(slug)) return Effect.fail(new AccountHeaderInvalid({ reason: "malformed" }))
  return slug === platformAdmin ? Effect.fail(new ReservedAccount({ slug })) : Effect.succeed(slug)
}

/** The token of `Authorization: Bearer <token>`; the scheme's case does not matter (RFC 9110 §11.1). */
export const bearerOf = (headers: RawHeaders): Effect.Effect<string, Invalid | Unauthenticated> => {
  const [authorization, another] = valuesOf(headers, "authorization")
  if (another !== undefined) return Effect.fail(invalid("/headers/authorization", "was sent more than once"))
  const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? []
  return token === undefined
    ? Effect.fail(new Unauthenticated({ detail: "The header Authorization must be: Bearer <token>" }))
    : Effect.succeed(token)
}
