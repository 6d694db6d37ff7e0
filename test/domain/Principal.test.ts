import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Role } from "../../src/domain/Account.ts"
import {
  highest,
  type KeyHolder,
  type Permission,
  type Person,
  permit,
  type Scope,
} from "../../src/domain/Principal.ts"

const person = (role: Role): Person => ({
  _tag: "Person",
  issuer: "https://id.example",
  subject: "ada",
  email: null,
  email_verified: false,
  name: null,
  admin: false,
  expires_at: new Date(0),
  role,
})
const key = (...scopes: ReadonlyArray<Scope>): KeyHolder => ({
  _tag: "ApiKey",
  id: "1",
  name: "k",
  scopes,
  expires_at: null,
})

const permissions: ReadonlyArray<Permission> = ["read", "write", "dial", "audit", "manage"]
const may = (who: Person | KeyHolder) => permissions.filter((asked) => Result.isSuccess(permit(who, asked)))

describe("what a member may do in an account (decisions §3)", () => {
  it.each([
    ["viewer", ["read"]],
    ["member", ["read", "write", "dial"]],
    ["owner", ["read", "write", "dial", "audit", "manage"]],
  ] as const)("a %s may %s", (role, allowed) => {
    assert.deepStrictEqual(may(person(role)), [...allowed])
  })

  it.each([
    [["read"], ["read"]],
    [["write"], ["write"]],
    [["dial"], ["dial"]],
    [["audit"], ["audit"]],
    [
      ["read", "write", "dial"],
      ["read", "write", "dial"],
    ],
  ] as const)("a key with the scopes %s may %s, and never manage", (scopes, allowed) => {
    assert.deepStrictEqual(may(key(...scopes)), [...allowed])
  })

  it("a refusal says which role or scope is missing", () => {
    assert.deepInclude(permit(person("viewer"), "write"), { _tag: "Failure" })
    const refusals = [permit(person("viewer"), "write"), permit(key("read"), "dial"), permit(key("read"), "manage")]
    assert.deepStrictEqual(
      refusals.map((refusal) => (Result.isFailure(refusal) ? refusal.failure._tag : "")),
      ["MissingRole", "MissingScope", "MissingScope"],
    )
  })

  it("of several roles the highest counts, and none is none", () => {
    assert.strictEqual(highest(["viewer", "owner", "member"]), "owner")
    assert.strictEqual(highest(["viewer", "member"]), "member")
    assert.strictEqual(highest([]), undefined)
  })
})
