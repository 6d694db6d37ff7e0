/** The signed token of a widget session: a JWT, preceded by the id of the account whose key verifies it. */
import { Clock, Duration, Effect, Schema } from "effect"
import { jwtVerify, SignJWT } from "jose"
import { createHmac, randomUUID } from "node:crypto"
import { Unauthenticated } from "../domain/Principal.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"

/** The lifetime of a token: long enough to open the socket, too short to be worth stealing. */
export const lifetime = Duration.minutes(5)

/** What the customer's server says about the visitor; the agent gets it as variables. */
export const Facts = Schema.Record(Schema.String, Schema.Json)

const Claims = Schema.Struct({
  /** The session's id: a session has one conversation at a time. */
  jti: Schema.String,
  key: Schema.String,
  agent: Schema.String,
  user: Schema.NullOr(Facts),
  variables: Facts,
})

const algorithm = "HS256"

const syntax = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.([\w-]+\.[\w-]+\.[\w-]+)$/

/**
 * The key that signs tokens. It is derived from the account's data key, like its database password, so it need not be
 * stored.
 */
const signingKey = ({ dataKey }: AccountEntry): Uint8Array =>
  createHmac("sha256", dataKey).update("widget-session").digest()

export const invalidSession = () =>
  new Unauthenticated({ detail: "The session token is not valid, or it has expired after five minutes" })

/** A token for a new session. */
export const sign = Effect.fnUntraced(function* (account: AccountEntry, claims: Omit<typeof Claims.Type, "jti">) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const signed = yield* Effect.promise(() =>
    new SignJWT(claims)
      .setJti(randomUUID())
      .setProtectedHeader({ alg: algorithm, typ: "JWT" })
      .setIssuedAt(now)
      .setExpirationTime(now + Duration.toSeconds(lifetime))
      .sign(signingKey(account)),
  )
  return `${account.id.replaceAll("-", "")}.${signed}`
})

/** The account's id and the part that is signed. Nothing of it is verified yet. */
export const parse = Effect.fnUntraced(function* (token: string) {
  const [, a, b, c, d, e, signed] = syntax.exec(token) ?? []
  if (signed === undefined) return yield* invalidSession()
  return { accountId: [a, b, c, d, e].join("-"), signed }
})

/** Verifies the signed part of a token and returns its claims. */
export const verify = Effect.fnUntraced(function* (signed: string, account: AccountEntry) {
  const now = yield* Clock.currentTimeMillis
  const { payload } = yield* Effect.tryPromise({
    try: () =>
      jwtVerify(signed, signingKey(account), {
        algorithms: [algorithm],
        requiredClaims: ["exp"],
        currentDate: new Date(now),
      }),
    catch: invalidSession,
  })
  return yield* Effect.orDie(Schema.decodeUnknownEffect(Claims)(payload))
})
