import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { usableKeysFrom } from "../../src/identity/KeySanity.ts"

const jwk = (pair: { readonly publicKey: import("node:crypto").KeyObject }) => pair.publicKey.export({ format: "jwk" })
const rsa = jwk(generateKeyPairSync("rsa", { modulusLength: 2048 }))
const small = jwk(generateKeyPairSync("rsa", { modulusLength: 1024 }))
const ec = jwk(generateKeyPairSync("ec", { namedCurve: "P-256" }))
const koblitz = jwk(generateKeyPairSync("ec", { namedCurve: "secp256k1" }))
const ed = jwk(generateKeyPairSync("ed25519"))
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })

/** A modulus of 2048 bits with the mark of a flawed chip: a power of 65537 modulo each of the primes up to 167. */
const rocaModulus = () => {
  const isPrime = (n: number) => Array.from({ length: n - 2 }, (_, at) => at + 2).every((d) => n % d !== 0)
  const primes = Array.from({ length: 165 }, (_, at) => at + 3).filter(isPrime)
  const primorial = primes.reduce((product, prime) => product * BigInt(prime), 2n)
  let power = 1n
  for (let exponent = 0; exponent < 1_000; exponent++) power = (power * 65_537n) % primorial
  const modulus = ((1n << 2047n) / primorial + 1n) * primorial + power
  return Buffer.from(modulus.toString(16), "hex").toString("base64url")
}

const taken = (...keys: ReadonlyArray<unknown>) =>
  Option.match(usableKeysFrom({ keys }), { onNone: () => -1, onSome: (all) => all.length })

it("no key of a sound generator has the mark of CVE-2017-15361", () => {
  for (let made = 0; made < 5; made++) {
    assert.strictEqual(taken(jwk(generateKeyPairSync("rsa", { modulusLength: 2048 }))), 1)
  }
})

describe("which published keys may judge a signature", () => {
  it.each([
    ["RSA of 2048 bits", rsa],
    ["P-256", ec],
    ["Ed25519", ed],
    ["one for signatures", { ...rsa, use: "sig", alg: "RS256", key_ops: ["verify"], kid: "a" }],
    ["one with a certificate beside it", { ...ec, x5c: ["AAAA"] }],
  ])("%s is taken", (_, key) => assert.strictEqual(taken(key), 1))

  it.each([
    ["one meant for encryption", { ...rsa, use: "enc" }],
    ["one that may only wrap keys", { ...rsa, key_ops: ["wrapKey"] }],
    ["RSA of 1024 bits", small],
    ["RSA with the exponent 1", { ...rsa, e: "AQ" }],
    ["RSA with an even exponent", { ...rsa, e: "AQAC" }],
    ["RSA with an endless exponent", { ...rsa, e: rsa.n }],
    ["RSA with the mark of CVE-2017-15361", { ...rsa, n: rocaModulus() }],
    ["secp256k1", koblitz],
    ["a shared secret", { kty: "oct", k: "c2VjcmV0" }],
    ["a private key", privateKey],
    ["one of an algorithm that is not allowed", { ...rsa, alg: "PS256" }],
    ["one that is no object", "key"],
  ])("%s is left out, and the others stay", (_, key) => assert.strictEqual(taken(key, ed), 1))

  it("a document that is no set of keys gives none", () => {
    for (const document of [null, [], {}, { keys: {} }, { keys: Array.from({ length: 101 }, () => ed) }]) {
      assert.isTrue(Option.isNone(usableKeysFrom(document)))
    }
  })
})
