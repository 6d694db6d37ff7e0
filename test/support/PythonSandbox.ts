/** The sandboxes of Python tools that this machine has. WebAssembly is everywhere; bubblewrap is a system's package. */
import { ConfigProvider, Context, Effect, Layer, References } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DataFolder } from "../../src/tenancy/DataFolder.ts"
import { Sandbox } from "../../src/tools/sandbox/Sandbox.ts"
import { until } from "./Until.ts"

export type SandboxName = "bubblewrap" | "webassembly"

/** One folder for a test file: the snapshot in it is made once. */
const folder = mkdtempSync(join(tmpdir(), "parley-sandbox-"))

/** A sandbox as a server with these settings chooses it. */
export const sandboxWith = (env: Record<string, string>) =>
  Sandbox.layer.pipe(
    Layer.provide(DataFolder.layer),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ PATH: process.env["PATH"] ?? "", PARLEY_DATA_DIR: folder, ...env }),
      ),
    ),
  )

/** The sandbox of this name, which has started a process already. */
export const sandboxLayer = (name: SandboxName, env: Record<string, string> = {}) =>
  Layer.tap(sandboxWith({ PARLEY_PYTHON_SANDBOX: name, ...env }), (context) => {
    const { fault } = Context.get(context, Sandbox)
    const isReady = fault.pipe(
      Effect.flatMap((why) => (why === undefined ? Effect.void : Effect.fail(why))),
      Effect.retry({ while: (why) => why.includes("being prepared") }),
    )
    return Effect.catch(isReady, (why) => Effect.die(new Error(why)))
  })

/** Why this machine has no bubblewrap; undefined where it works. */
export const bubblewrapFault = await Effect.runPromise(
  Sandbox.use(({ fault }) => fault).pipe(
    Effect.provide(sandboxWith({ PARLEY_PYTHON_SANDBOX: "bubblewrap" })),
    Effect.provideService(References.MinimumLogLevel, "None"),
  ),
)

export const sandboxesHere: ReadonlyArray<SandboxName> =
  bubblewrapFault === undefined ? ["bubblewrap", "webassembly"] : ["webassembly"]

/** Until a server's python tools can run: WebAssembly is prepared at the first question. */
export const pythonIsReady = (url: string): Promise<true> =>
  until(async () => {
    const answer = await fetch(`${url}/readyz`)
    const { checks } = (await answer.json()) as { checks: Record<string, string> }
    return checks.python_sandbox === "ok"
  })
