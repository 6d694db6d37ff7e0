/** Which published keys may judge a signature: jose alone takes keys meant for encryption, and RSA with the exponent 1. */
import { Option, Schema, Struct } from "effect"
import type { JWK } from "jose"
import { algorithms } from "./BearerToken.ts"

/** A set larger than this is no issuer's. */
const maximumKeys = 100

const KeySet = Schema.Struct({ keys: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(maximumKeys)) })

const Base64url = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]+$/u), Schema.isMaxLength(2048))

const common = {
  kid: Schema.optionalKey(Schema.String),
  alg: Schema.optionalKey(Schema.Literals(algorithms)),
  use: Schema.optionalKey(Schema.Literal("sig")),
  key_ops: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.makeFilter((operations) => operations.includes("verify"))),
  ),
  // A published private key is everybody's.
  d: Schema.optionalKey(Schema.Never),
}

/** Below 2048 bits RSA is not safe; above 8192 one check costs milliseconds. */
const Modulus = Base64url.check(
  Schema.makeFilter((text) => {
    const bits = bitsOf(text)
    return bits >= 2048 && bits <= 8192
  }),
)
const Exponent = Base64url.check(
  Schema.makeFilter((text) => {
    const bits = bitsOf(text)
    const odd = ((Buffer.from(text, "base64url").at(-1) ?? 0) & 1) === 1
    return odd && bits >= 2 && bits <= 32
  }),
)

const Key = Schema.Union([
  Schema.Struct({ kty: Schema.Literal("RSA"), n: Modulus, e: Exponent, ...common }),
  Schema.Struct({
    kty: Schema.Literal("EC"),
    crv: Schema.Literals(["P-256", "P-384", "P-521"]),
    x: Base64url,
    y: Base64url,
    ...common,
  }),
  Schema.Struct({ kty: Schema.Literal("OKP"), crv: Schema.Literal("Ed25519"), x: Base64url, ...common }),
])

const keySet = Schema.decodeUnknownOption(KeySet)
const key = Schema.decodeUnknownOption(Key)

/** The keys of a JWKS document that may be used, their other fields left behind; none when it is no such document. */
export const usable = (document: unknown): Option.Option<ReadonlyArray<JWK>> =>
  Option.map(keySet(document), ({ keys }) =>
    keys
      .flatMap((candidate) => Option.toArray(key(candidate)))
      // Read, and no longer needed: what is left is for verifying alone.
      .map((one): JWK => Struct.omit(one, ["key_ops", "d"])),
  )

const bitsOf = (base64url: string): number => {
  const bytes = Buffer.from(base64url, "base64url")
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24
}
