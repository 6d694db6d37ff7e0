/** Runs the tools that an account has defined itself, each kind in its own way. */
import { Effect, Layer } from "effect"
import { AddressGuard } from "./AddressGuard.ts"
import * as HttpTool from "./HttpTool.ts"
import * as PythonTool from "./PythonTool.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { ToolRunner } from "./ToolRunner.ts"

export const layer = Layer.effect(
  ToolRunner,
  Effect.gen(function* () {
    const guard = yield* AddressGuard
    const sandbox = yield* Sandbox
    return {
      run: (tool, args, context) =>
        tool.implementation_type === "http"
          ? HttpTool.run(guard, tool.implementation_config, args)
          : PythonTool.run(sandbox, tool, args, context),
    }
  }),
)
