import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { TestServer } from "../support/TestServer.ts"

const run = promisify(execFile)
const [, client = ""] = /^```ts client\n([\s\S]*?)^```$/m.exec(readFileSync("docs/trpc.md", "utf8")) ?? []

/** A folder in the repository, since the client imports what is installed there. */
const inFolder = async (body: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync("test/.client-")
  try {
    await body(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "the client of docs/trpc.md",
  (it) => {
    it.effect("runs as it stands there, in twenty lines", () =>
      Effect.gen(function* () {
        const { ownerOf, url } = yield* TestServer
        yield* Effect.promise(async () => {
          assert.isAtMost(client.trimEnd().split("\n").length, 24)
          const owner = await ownerOf("client")
          await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa." })
          await inFolder(async (folder) => {
            const file = join(folder, "client.ts")
            writeFileSync(file, client)
            const { stdout } = await run(process.execPath, [
              "--disable-warning=ExperimentalWarning",
              file,
              url,
              "client",
            ])
            assert.strictEqual(stdout, "1 agents, 0 running campaigns\n")
          })
        })
      }),
    )
  },
)

describe("the router's types", () => {
  it(
    "are all that a client needs, and say what comes",
    () =>
      inFolder(async (folder) => {
        const source = `
          import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server"
          import { createTRPCClient, httpLink } from "@trpc/client"
          import type { AppRouter } from "../../src/rpc/Router.ts"
          type Out = inferRouterOutputs<AppRouter>
          type In = inferRouterInputs<AppRouter>
          type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
          export const moments: Same<Out["agents"]["get"]["created_at"], string> = true
          export const ids: Same<Out["campaigns"]["get"]["id"], string> = true
          export const totals: Same<Out["calls"]["list"]["total"], number> = true
          export const optional: Same<In["agents"]["create"]["language"], string | undefined> = true
          export const rpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: "" })] })
          // @ts-expect-error an unknown field
          void (() => rpc.agents.get.query({ id: "x", nothing: 1 }))
          // @ts-expect-error a field of another type
          void (() => rpc.campaigns.update.mutate({ id: "x", max_concurrent_calls: "2" }))
        `
        writeFileSync(join(folder, "types.ts"), source)
        const { compilerOptions } = JSON.parse(readFileSync("tsconfig.json", "utf8"))
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }))
        const tsc = ["node_modules/typescript/bin/tsc", "-p", folder]
        const { stdout } = await run(process.execPath, tsc).catch((failed: { readonly stdout: string }) => failed)
        assert.deepStrictEqual(
          stdout.split("\n").filter((line) => line.startsWith(folder)),
          [],
        )
        const left = [...stripTypeScriptTypes(source).matchAll(/from "([^"]+)"/g)].map(([, imported]) => imported)
        assert.deepStrictEqual(left, ["@trpc/client"])
      }),
    600_000,
  )
})
