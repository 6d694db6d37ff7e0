/** What a tool finds when it looks for a way out of Python: nothing of the machine, in both sandboxes. */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Result } from "effect"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "../../../src/tools/sandbox/Sandbox.ts"
import { oneIn } from "../../support/Dose.ts"
import { sandboxesHere, sandboxLayer, type SandboxName } from "../../support/PythonSandbox.ts"
import { alone, functionOf, together } from "./escapes.ts"

const options = { timeout: "180 seconds", excludeTestServices: true } as const
const longest = 600_000

/** What a tool must not read. */
const secret = crypto.randomUUID()

/** A listener on loopback that nothing may reach, and a folder in which nothing may change. */
const machine = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly folder: string; readonly assertUntouched: () => void }>(
    (resume) => {
      const folder = mkdtempSync(join(tmpdir(), "parley-machine-"))
      writeFileSync(join(folder, "secret"), secret)
      let reached = 0
      const server = createServer((socket) => {
        reached++
        socket.destroy()
      }).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const assertUntouched = () => {
          assert.strictEqual(reached, 0)
          assert.deepStrictEqual(readdirSync(folder), ["secret"])
          server.close()
        }
        resume(Effect.succeed({ port, folder, assertUntouched }))
      })
    },
  ),
  ({ assertUntouched }) => Effect.sync(assertUntouched),
)

/** Some of them in one process: what became of each, by name. */
const sweep = `
def tool(arguments, context):
    found = {}
    for name, code in arguments["attacks"]:
        scope = {}
        try:
            exec(code, scope)
            found[name] = repr(scope["attack"]())[:2000]
        except BaseException as error:
            found[name] = repr(error)[:2000]
    return found
`
const aSweep = 10

/** Some wait for ever under bubblewrap, where processes start at once. */
const longEnough: Record<SandboxName, Duration.Input> = { bubblewrap: "8 seconds", webassembly: "1 minute" }

/** One attack in so many, and in the full dose (attacksOn in Sandbox.test.ts says why). */
const shares: Record<SandboxName, readonly [everyday: number, full: number]> = {
  bubblewrap: [1, 1],
  webassembly: [6, 3],
}
const shareOf = <A>(kind: SandboxName, attacks: ReadonlyArray<A>) => oneIn(shares[kind][0], attacks, shares[kind][1])

describe.each(sandboxesHere)("in the sandbox of %s", (kind) => {
  it.layer(sandboxLayer(kind), options)("a tool that looks for a way out", (it) => {
    it.effect(
      "finds nothing of the machine",
      () =>
        Effect.gen(function* () {
          const { folder, port } = yield* machine
          const sandbox = yield* Sandbox
          const attacks = shareOf(kind, together).map(([name, body]) => [name, functionOf(body, port, folder)])
          const sweeps = Array.from({ length: Math.ceil(attacks.length / aSweep) }, (_, index) =>
            attacks.slice(index * aSweep, (index + 1) * aSweep),
          )
          const sweepOf = (some: typeof attacks) =>
            Effect.result(
              sandbox
                .run({ code: sweep, arguments: { attacks: some }, context: {} })
                .pipe(Effect.timeout(longEnough[kind])),
            )
          const found = yield* Effect.forEach(
            sweeps,
            // One that ended the process hides those after it: then each has a process of its own.
            (some) =>
              Effect.flatMap(sweepOf(some), (outcome) =>
                Result.isSuccess(outcome)
                  ? Effect.succeed([outcome])
                  : Effect.forEach(some, (attack) => sweepOf([attack])),
              ),
            { concurrency: 2 },
          )
          assert.notInclude(JSON.stringify(found), secret)
          assert.isTrue(found.flat().some(Result.isSuccess))
        }),
      longest,
    )
    it.effect(
      "ends its own process at most",
      () =>
        Effect.gen(function* () {
          const { folder, port } = yield* machine
          const sandbox = yield* Sandbox
          const found = yield* Effect.forEach(
            shareOf(kind, alone),
            ([name, body]) => {
              const code = `${functionOf(body, port, folder)}\ndef tool(arguments, context):\n  return repr(attack())\n`
              return Effect.map(
                Effect.result(
                  sandbox.run({ code, arguments: {}, context: {} }).pipe(Effect.timeoutOption(longEnough[kind])),
                ),
                (outcome) => [name, outcome] as const,
              )
            },
            { concurrency: 2 },
          )
          assert.notInclude(JSON.stringify(found), secret)
        }),
      longest,
    )
  })
})
