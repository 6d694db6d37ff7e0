/**
 * The lab's own record of what happened (`LAB_LOG`): one line for each event, on disk before the event takes effect.
 */
import { Clock, Config, Context, Effect, Layer, Option, type Scope } from "effect"
import { closeSync, openSync, writeSync } from "node:fs"

export type LabEvent = "invite" | "ring" | "answer" | "end"

export class LabLog extends Context.Service<
  LabLog,
  {
    readonly write: (event: LabEvent, attempt_id: string, number: string) => Effect.Effect<void>
    /** The call lives until the scope closes. */
    readonly live: (attempt_id: string, number: string) => Effect.Effect<void, never, Scope.Scope>
  }
>()("telephony/lab/LabLog") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const file = yield* Config.option(Config.NonEmptyString("LAB_LOG"))
      if (Option.isNone(file)) return LabLog.of({ write: () => Effect.void, live: () => Effect.void })
      const descriptor = yield* Effect.acquireRelease(
        Effect.sync(() => openSync(file.value, "a")),
        (descriptor) => Effect.sync(() => closeSync(descriptor)),
      )
      // Each line is one write, at once: a killed process loses no line, and two processes can share the file.
      const write = (event: LabEvent, attempt_id: string, number: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const at = new Date(now).toISOString()
          writeSync(descriptor, `${JSON.stringify({ event, attempt_id, number, at })}\n`)
        })
      const live = (attempt_id: string, number: string) =>
        Effect.acquireRelease(write("invite", attempt_id, number), () => write("end", attempt_id, number))
      return LabLog.of({ write, live })
    }),
  )
}
