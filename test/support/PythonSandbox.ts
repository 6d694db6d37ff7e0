/** Whether this machine has what the python sandbox needs; tests that need it say that they were skipped, and why. */
import { Effect } from "effect"
import { Sandbox } from "../../src/calls/tools/sandbox/Sandbox.ts"

export const sandboxFault = await Effect.runPromise(
  Sandbox.use(({ fault }) => fault).pipe(Effect.provide(Sandbox.layer)),
)
