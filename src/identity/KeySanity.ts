/**
 * Decides which published keys may verify signatures: jose by itself also accepts keys meant for encryption, and RSA
 * keys with the exponent 1.
 */
import { Option, Schema, Struct } from "effect"
import type { JWK } from "jose"
import { algorithms } from "./BearerToken.ts"

/** A set of keys larger than this does not come from a real issuer. */
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
  // A private key that is published is no longer secret.
  d: Schema.optionalKey(Schema.Never),
}

/** The modulus of an RSA key. Below 2048 bits RSA is not safe; above 8192 one verification costs milliseconds. */
const Modulus = Base64url.check(
  Schema.makeFilter((text) => {
    const bits = bitsOf(text)
    return bits >= 2048 && bits <= 8192
  }),
  Schema.makeFilter((text) => !isRoca(BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`))),
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

/** The usable keys of a JWKS document, reduced to the needed fields. None if the value is not such a document. */
export const usableKeysFrom = (document: unknown): Option.Option<ReadonlyArray<JWK>> =>
  Option.map(keySet(document), ({ keys }) =>
    keys
      .flatMap((candidate) => Option.toArray(key(candidate)))
      // These fields were checked and are dropped, because the keys are only used to verify.
      .map((one): JWK => Struct.omit(one, ["key_ops", "d"])),
  )

const bitsOf = (base64url: string): number => {
  const bytes = Buffer.from(base64url, "base64url")
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24
}

const rocaPrimes = [
  ...[3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109],
  ...[113, 127, 131, 137, 139, 149, 151, 157, 163, 167],
]

/** For each prime, the powers of 65537 modulo it. */
const rocaResidues = rocaPrimes.map((prime) => {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return { prime: BigInt(prime), powers }
})

/**
 * Whether a key comes from a flawed chip (CVE-2017-15361, ROCA). The modulus of such a key is a power of 65537 modulo
 * every small prime, and it can be factored. Fewer than one sound key in a hundred million has this mark by chance.
 */
const isRoca = (modulus: bigint): boolean =>
  rocaResidues.every(({ powers, prime }) => powers.has(Number(modulus % prime)))
