/** The process: everything is in App.ts. A drain that ended well is no failure, so SIGTERM exits with 0. */
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Exit, Layer } from "effect"
import * as App from "./App.ts"

NodeRuntime.runMain(Layer.launch(App.layer), {
  teardown: (exit, done) => done(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0),
})
