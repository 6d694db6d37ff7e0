import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import type { Problem } from "../support/Contract.ts"
import { everything } from "../support/Fixtures.ts"
import { bodiesNear, operationOf, pathOf } from "../support/RpcBodies.ts"
import { callOf, endpointOf, operations } from "../support/RpcOperations.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

/** Bodies an operation; each goes over both surfaces. */
const bodies = 12

const withBodies = operations.filter(({ rest }) => endpointOf(rest).payload.size > 0)

/** What a refusal says, whichever way it came. Sentences may differ where two checks fail at one place. */
const said = (problem: Partial<Problem>) => ({
  type: problem.type,
  title: problem.title,
  status: problem.status,
  code: problem.code,
  pointers: [...new Set((problem.errors ?? []).map(({ pointer }) => pointer))].sort(),
})

it.layer(TestServer.layer, { timeout: "300 seconds", excludeTestServices: true })("over the wire", (it) => {
  it.effect(
    "a refused body is refused by the router as by REST: status, code, and the places of its faults",
    () =>
      onServer(async (server) => {
        const [owner, admin] = [await server.ownerOf("wire"), await server.admin()]
        await everything(owner, "wire")
        let refused = 0
        for (const operation of withBodies) {
          const client = operation.procedure.startsWith("accounts.") ? admin : owner
          const { method, path } = operationOf(endpointOf(operation.rest))
          for (const body of fc.sample(bodiesNear(operation), { numRuns: bodies, seed: 20_261_121 })) {
            const rest = await client.request(method, path.replaceAll(/\{\w+\}/g, "x"), { body })
            // A state may have changed by the second request: an export that was running may have ended.
            if (rest.status < 400 || rest.body.code === "invalid_state") continue
            refused++
            const rpc = await callOf(client, operation.procedure, { ...pathOf(operation), ...body })
            const name = `${operation.procedure} ${JSON.stringify(body).slice(0, 300)}`
            assert.isDefined(rpc.body.error, name)
            assert.strictEqual(rpc.status, rest.status, name)
            assert.deepStrictEqual(said(rpc.body.error!.data), said(rest.body), name)
          }
        }
        assert.isAbove(refused, 150)
      }),
    300_000,
  )
})
