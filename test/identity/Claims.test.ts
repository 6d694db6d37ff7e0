import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { type ClaimSettings, identityOf } from "../../src/identity/Claims.ts"

const issuer = "https://id.example"
const settings: ClaimSettings = {
  accounts: "accounts",
  roles: "roles",
  administrators: ["Boss@Example.com", `${issuer}#root#1`],
}
const identity = (claims: object, given = settings) =>
  Option.getOrThrow(identityOf(issuer, { sub: "ada", ...claims }, given, new Date(0)))

describe("what a verified token says of its holder (decisions §3)", () => {
  it("a claim that lists a slug gives member, one that lists {slug, role} that role", () => {
    const accounts = ["acme", { slug: "globex", role: "viewer" }, { slug: "initech" }]
    assert.deepStrictEqual(identity({ accounts }).claimed, [
      { slug: "acme", role: "member" },
      { slug: "globex", role: "viewer" },
      { slug: "initech", role: "member" },
    ] as never)
  })

  it("an entry that is no slug, or has an unknown role, opens nothing", () => {
    const accounts = ["ACME", "../etc", 7, null, { slug: "acme", role: "god" }, { role: "owner" }, "fine"]
    assert.deepStrictEqual(identity({ accounts }).claimed, [{ slug: "fine", role: "member" }] as never)
  })

  it("the claim's name is configured", () => {
    const named = { ...settings, accounts: "https://acme.example/tenants", roles: "groups" }
    const person = identity(
      { "https://acme.example/tenants": "acme", groups: ["parley-admin"], accounts: ["x"] },
      named,
    )
    assert.deepStrictEqual(person.claimed, [{ slug: "acme", role: "member" }] as never)
    assert.isTrue(person.admin)
  })

  it("an email counts in lower case, and only with email_verified exactly true", () => {
    assert.deepInclude(identity({ email: "Ada@Example.com", email_verified: true }), {
      email: "ada@example.com",
      email_verified: true,
    })
    // U+212A, the Kelvin sign: Unicode folds it into the letter k.
    assert.notStrictEqual(identity({ email: "\u212aate@example.com", email_verified: true }).email, "kate@example.com")
    for (const email_verified of [undefined, false, "true", 1]) {
      assert.isFalse(identity({ email: "ada@example.com", email_verified }).email_verified)
    }
    assert.deepInclude(identity({ email: "not an email", email_verified: true }), {
      email: null,
      email_verified: false,
    })
  })

  it.each([
    ["the role parley-admin", { roles: ["x", "parley-admin"] }, true],
    ["a verified email that PARLEY_ADMINS names", { email: "boss@example.com", email_verified: true }, true],
    ["issuer#subject", { sub: "root#1" }, true],
    ["an email that the provider has not verified", { email: "boss@example.com" }, false],
    ["another role", { roles: ["admin"] }, false],
    ["nothing", {}, false],
  ])("%s makes an administrator: %o → %s", (_, claims, admin) => {
    assert.strictEqual(identity(claims).admin, admin)
  })

  it.each([undefined, "", 7, "a\u0000b", "x".repeat(256)])("a subject %j is refused", (sub) => {
    assert.isTrue(Option.isNone(identityOf(issuer, { sub }, settings, new Date(0))))
  })
})
