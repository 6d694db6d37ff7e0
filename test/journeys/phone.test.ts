/** `npm run phone`: a softphone on this machine rings the agent that it starts, and its transcript is printed. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { freePort } from "../support/FreePorts.ts"
import { ring } from "../support/Ringing.ts"
import { openAgent } from "../support/SipAgents.ts"
import { until } from "../support/Until.ts"

it.live.skipIf(!existsSync("/usr/bin/espeak-ng"))(
  "an agent can be rung without a trunk and without a key",
  () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], PARLEY_SIP_PORT: String(port), NO_COLOR: "1" }
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["examples/phone.ts"], { env, stdio: ["ignore", "pipe", "inherit"] }),
        ),
        (child) =>
          Effect.callback<void>((resume) => {
            child.once("close", () => resume(Effect.void))
            child.kill("SIGTERM")
          }),
      )
      let said = ""
      child.stdout.on("data", (bytes) => (said += bytes))
      const [, number = ""] = yield* Effect.promise(() => until(() => /sip:(\d+)@127/.exec(said) ?? false))
      const phone = yield* openAgent()
      const { call, close } = yield* ring(phone, port, number)
      yield* Fiber.join(call)
      yield* close
      yield* Effect.promise(() => until(() => said.includes("A call has ended: caller hung up")))
      assert.include(said, "are not understood")
    }),
  300_000,
)
