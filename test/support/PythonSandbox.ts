/** The sandboxes for Python tools on this machine. WebAssembly runs everywhere, bubblewrap is a system package. */
import { ConfigProvider, Context, Effect, Layer, References } from "effect"
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DataFolder } from "../../src/tenancy/DataFolder.ts"
import { Sandbox } from "../../src/tools/sandbox/Sandbox.ts"
import { until } from "./Until.ts"

export type SandboxName = "bubblewrap" | "webassembly"

/** One folder for the whole run, so that the snapshot in it is made once. */
const folder = join(tmpdir(), "parley-sandbox")
mkdirSync(folder, { recursive: true })

/** The sandbox that a server with these settings chooses. */
export const sandboxWith = (env: Record<string, string>) =>
  Sandbox.layer.pipe(
    Layer.provide(DataFolder.layer),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ PATH: process.env["PATH"] ?? "", PARLEY_DATA_DIR: folder, ...env }),
      ),
    ),
  )

/** The sandbox with this name, once it has started a process. */
export const sandboxLayer = (name: SandboxName, env: Record<string, string> = {}) =>
  Layer.tap(sandboxWith({ PARLEY_PYTHON_SANDBOX: name, ...env }), (context) => {
    const { fault } = Context.get(context, Sandbox)
    const isReady = fault.pipe(
      Effect.flatMap((why) => (why === undefined ? Effect.void : Effect.fail(why))),
      Effect.retry({ while: (why) => why.includes("being prepared") }),
    )
    return Effect.catch(isReady, (why) => Effect.die(new Error(why)))
  })

/** Why bubblewrap cannot run on this machine. Undefined if it can. */
export const bubblewrapFault = await Effect.runPromise(
  Sandbox.use(({ fault }) => fault).pipe(
    Effect.provide(sandboxWith({ PARLEY_PYTHON_SANDBOX: "bubblewrap" })),
    Effect.provideService(References.MinimumLogLevel, "None"),
  ),
)

export const sandboxesHere: ReadonlyArray<SandboxName> =
  bubblewrapFault === undefined ? ["bubblewrap", "webassembly"] : ["webassembly"]

/** Waits until the server can run Python tools. It prepares WebAssembly at the first request. */
export const pythonIsReady = (url: string): Promise<true> =>
  until(async () => {
    const answer = await fetch(`${url}/readyz`)
    const { checks } = (await answer.json()) as { checks: Record<string, string> }
    return checks.python_sandbox === "ok"
  })
