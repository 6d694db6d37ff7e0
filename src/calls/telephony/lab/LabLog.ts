/** The lab's own ground truth (`LAB_LOG`): one line an event, on disk before the event takes effect. */
import { Clock, Config, Context, Effect, Layer, Option } from "effect"
import { closeSync, openSync, writeSync } from "node:fs"

export type LabEvent = "invite" | "ring" | "answer" | "end"

export class LabLog extends Context.Service<
  LabLog,
  { readonly write: (event: LabEvent, attempt_id: string, number: string) => Effect.Effect<void> }
>()("calls/telephony/lab/LabLog") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const file = yield* Config.option(Config.NonEmptyString("LAB_LOG"))
      if (Option.isNone(file)) return LabLog.of({ write: () => Effect.void })
      const descriptor = yield* Effect.acquireRelease(
        Effect.sync(() => openSync(file.value, "a")),
        (descriptor) => Effect.sync(() => closeSync(descriptor)),
      )
      return LabLog.of({
        // Written at once and whole: a process that is killed loses no line, and two processes share the file.
        write: (event, attempt_id, number) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now).toISOString()
            writeSync(descriptor, `${JSON.stringify({ event, attempt_id, number, at })}\n`)
          }),
      })
    }),
  )
}
