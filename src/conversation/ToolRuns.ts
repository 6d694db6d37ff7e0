/** The tools that run in a talk: independent of each other, each with exactly one record of its result. */
import { Clock, Effect, type Schema } from "effect"
import { v7 as uuidv7 } from "uuid"
import type { ToolCall } from "../brain/Brain.ts"
import { type Answer, argumentsOf } from "../brain/ToolPolicy.ts"
import type { ToolInvocation } from "../domain/Call.ts"
import { storable } from "../domain/JsonValue.ts"
import type { CallControls } from "../tools/CallControls.ts"
import type { Workers } from "./Bounded.ts"
import type { TalkEvent } from "./TalkEvent.ts"

export interface Parts {
  readonly workers: Workers
  readonly talk: {
    /** Runs a tool. Its failure is a `ToolInvocation` too. Tools that act on the call do so through `controls`. */
    readonly invoke: (name: string, args: Schema.JsonObject, controls: CallControls) => Effect.Effect<ToolInvocation>
    /**
     * Whether runs of the tool go on when they are stopped, and their results join the call's record without this
     * process's talk. A stopped one gets no record here. Undefined if none do.
     */
    readonly outlives?: ((name: string) => boolean) | undefined
  }
  readonly controlsOf: (call: string) => CallControls
  /** Completes the result of a tool whose work goes on in the call. */
  readonly complete: (call: string, invocation: ToolInvocation) => Effect.Effect<ToolInvocation>
  readonly keep: (invocation: ToolInvocation) => Effect.Effect<void>
  /** Whether the talk goes on in another process after it has ended here. */
  readonly goesOn: () => boolean
  readonly post: (event: TalkEvent) => void
}

const failed: Answer = { error: { code: "tool_failed", message: "It failed" } }
/** Its effects outside may still happen. */
const unfinished: Answer = { error: { code: "cancelled", message: "The call ended before it did" } }
/** The model reads it when the talk goes on in another process. */
const interrupted: Answer = {
  error: { code: "cancelled", message: "It was interrupted; whether it had taken effect is not known" },
}

export const make = ({ complete, controlsOf, goesOn, keep, post, talk, workers }: Parts) => {
  const open = new Map<string, { readonly call: ToolCall; readonly began: number }>()

  /** Records the result of a run. Only the first result of each run counts. */
  const close = Effect.fnUntraced(function* (id: string, ended: ToolInvocation | Answer) {
    const run = open.get(id)
    if (run === undefined) return
    open.delete(id)
    const answer: Answer = ended.error === undefined ? { result: ended.result ?? null } : { error: ended.error }
    if (!("id" in ended) && talk.outlives?.(run.call.name) === true) return post({ _tag: "Resulted", call: id, answer })
    const invocation: ToolInvocation =
      "id" in ended
        ? ended
        : {
            id: uuidv7(),
            tool_name: run.call.name,
            arguments: storable(run.call.arguments),
            ...answer,
            started_at: new Date(run.began),
            duration_ms: (yield* Clock.currentTimeMillis) - run.began,
          }
    yield* keep(invocation)
    post({ _tag: "Resulted", call: id, answer })
  })

  const run = Effect.fnUntraced(function* (id: string, call: ToolCall) {
    open.set(id, { call, began: yield* Clock.currentTimeMillis })
    const work = Effect.suspend(() => talk.invoke(call.name, argumentsOf(call), controlsOf(id))).pipe(
      Effect.flatMap((invocation) => complete(id, invocation)),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("tool run failed", cause), failed)),
      Effect.flatMap((ended) => close(id, ended)),
    )
    yield* workers.run(id, work)
  })

  const stop = (id: string, answer: Answer) => Effect.andThen(close(id, answer), workers.stop(id))
  const stopAll = Effect.suspend(() =>
    Effect.forEach([...open.keys()], (id) => stop(id, goesOn() ? interrupted : unfinished), { discard: true }),
  )

  return { run, stop, stopAll }
}
