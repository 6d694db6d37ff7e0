import { assert, describe, it } from "@effect/vitest"
import { audited, isOfAdministrators, ofEndpoint, ofProcedure } from "../../src/audit/Operations.ts"
import { auditActions, auditKinds, kindOf } from "../../src/domain/AuditActions.ts"
import { Audited } from "../../src/http/edge/Audited.ts"
import { endpoints, operations, procedures } from "../support/RpcOperations.ts"

/** Operations that write, or whose method says so, and that leave no entry. */
const unaudited: Readonly<Record<string, string>> = {
  "login.login": "the caller is not signed in yet, and it changes nothing",
  "auth.login": "the caller is not signed in yet, and it changes nothing",
  "campaign-preflight.preflight": "a read with a body",
  "widget.session": "visitors of a page; their calls are in the list of calls",
  "widget-server.token": "visitors of a page; their calls are in the list of calls",
}

const isNamed = (name: string) => name in unaudited || isOfAdministrators(name)

describe("the audit log's table of operations", () => {
  it("has every operation of REST that writes, and its group has the middleware", () => {
    for (const [name, endpoint] of endpoints) {
      const guards: ReadonlySet<unknown> = endpoint.middlewares
      if (endpoint.method !== "GET") assert.isTrue(ofEndpoint(name) !== undefined || isNamed(name), name)
      if (ofEndpoint(name) !== undefined || isOfAdministrators(name)) assert.isTrue(guards.has(Audited), name)
    }
  })

  it("has every mutation of the router, under the same action as in REST", () => {
    for (const [path, { _def }] of procedures) {
      if (_def.type !== "mutation") continue
      assert.isTrue(ofProcedure(path) !== undefined || isNamed(path), path)
      const rest = operations.find(({ procedure }) => procedure === path)?.rest
      if (rest !== undefined) assert.strictEqual(ofProcedure(path)?.action, ofEndpoint(rest)?.action, path)
    }
  })

  it("names only operations that exist, parameters that they have, and actions of known kinds", () => {
    for (const { object, procedures: paths, rest } of audited) {
      for (const name of rest) {
        assert.isTrue(endpoints.has(name), name)
        if (object !== null) assert.include(endpoints.get(name)!.path, `:${object.rest}`, name)
      }
      for (const path of paths) assert.isTrue(procedures.has(path), path)
    }
    for (const action of auditActions) assert.include(auditKinds, kindOf(action))
  })
})
