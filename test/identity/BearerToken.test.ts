import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse } from "../../src/identity/BearerToken.ts"

const encode = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")
const header = { alg: "RS256", typ: "JWT", kid: "k1" }
const payload = { iss: "https://id.example", sub: "ada" }
const signature = Buffer.alloc(256, 7).toString("base64url")
const token = (head: unknown = header, body: unknown = payload) => `${encode(head)}.${encode(body)}.${signature}`

describe("the strict syntax of a token, before jose sees it", () => {
  it("takes three canonical base64url segments, and reads whose it says it is", () => {
    const parsed = parse(token())
    assert.deepStrictEqual(Result.isSuccess(parsed) && parsed.success, {
      text: token(),
      kid: "k1",
      issuer: "https://id.example",
    })
  })

  it.each(["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"])("takes %s", (alg) => {
    assert.isTrue(Result.isSuccess(parse(token({ alg }))))
  })

  it.each([
    ["nothing", ""],
    ["a word", "nonsense"],
    ["two segments", `${encode(header)}.${encode(payload)}`],
    ["four segments", `${token()}.AAAA`],
    ["five segments, as of an encrypted token", `${token()}.AAAA.AAAA`],
    ["an empty signature", `${encode(header)}.${encode(payload)}.`],
    ["padding", `${encode(header)}=.${encode(payload)}.${signature}`],
    ["padding at the end", `${token()}==`],
    ["a space inside", token().replace(".", ". ")],
    ["a line break at the end", `${token()}\n`],
    ["the letters of plain base64", `${encode(header)}.${encode(payload)}.ab+/`],
    ["stray bits at the end of a segment", `${encode(header)}.${encode(payload)}.AB`],
    ["a header that is no JSON", token("{")],
    ["a header that is a list", token([])],
    ["a payload that is no JSON", token(header, "nope")],
    ["a payload without an issuer", token(header, { sub: "ada" })],
    ["alg none", token({ alg: "none" })],
    ["alg None", token({ alg: "None" })],
    ["no alg", token({ typ: "JWT" })],
    ["HS256", token({ alg: "HS256" })],
    ["PS256", token({ alg: "PS256" })],
    ["ES256K", token({ alg: "ES256K" })],
    ["a key of its own (jwk)", token({ ...header, jwk: { kty: "RSA" } })],
    ["a place of its key (jku)", token({ ...header, jku: "https://evil.example/jwks" })],
    ["a certificate's place (x5u)", token({ ...header, x5u: "https://evil.example/x" })],
    ["a certificate (x5c)", token({ ...header, x5c: ["AAAA"] })],
    ["critical extensions", token({ ...header, crit: ["exp"] })],
    ["an unencoded payload", token({ ...header, b64: false })],
    ["compression", token({ ...header, zip: "DEF" })],
    ["another type", token({ ...header, typ: "at+jwt" })],
    ["a kid that is no string", token({ ...header, kid: 1 })],
    ["17 KiB", token(header, { ...payload, filler: "x".repeat(17 * 1024) })],
  ])("refuses %s", (_, text) => {
    assert.isTrue(Result.isFailure(parse(text)))
  })
})
