/** Runs the tools that an account defines itself, each kind with its own runner and within the account's share. */
import { Effect, Layer } from "effect"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import { ToolAddressGuard } from "./ToolAddressGuard.ts"
import * as HttpTool from "./HttpTool.ts"
import * as PythonTool from "./PythonTool.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { ToolFailed, ToolRunner } from "./ToolRunner.ts"

/** Each Python tool may have 256 MiB, so 4 GiB in all; the interpreters on WebAssembly add 1.6 GB. */
const pythonShares: FairSemaphore.Limits = { what: "python tools", places: 16, waiting: 256 }
/** Each request is a socket and at most 1 MiB of an answer. */
const httpShares: FairSemaphore.Limits = { what: "requests of http tools", places: 1_024, waiting: 1_024 }

export const layer = Layer.effect(
  ToolRunner,
  Effect.gen(function* () {
    const guard = yield* ToolAddressGuard
    const sandbox = yield* Sandbox
    const python = yield* FairSemaphore.make(pythonShares)
    const http = yield* FairSemaphore.make(httpShares)
    return {
      run: (tool, args, context) =>
        Effect.flatMap(CurrentTenant, ({ account: { slug } }) =>
          tool.implementation_type === "http"
            ? HttpTool.run(guard, inPlaceOf(http, slug), tool.implementation_config, args, context.invocation_id)
            : inPlaceOf(python, slug)(PythonTool.run(sandbox, tool, args, context)),
        ),
    }
  }),
)

const inPlaceOf =
  ({ withPlace }: FairSemaphore.FairSemaphore, account: string): HttpTool.InPlace =>
  (work) =>
    Effect.catchTag(
      withPlace(account)(work),
      "ShareFull",
      ({ message }) => new ToolFailed({ code: "too_many_waiting", reason: message, is_transient: true }),
    )
