/**
 * The tools of one call that wait for digits, and the privacy of the call's sound meanwhile. The digits go into
 * `CallRecord.digits`; the tool's result has only their count.
 */
import { Clock, Deferred, Effect } from "effect"
import type { ToolInvocation } from "../domain/Call.ts"
import type { Line } from "../telephony/Telephony.ts"
import type { CallControls } from "../tools/CallControls.ts"
import type { Workers } from "./Bounded.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { Command } from "./Command.ts"
import type { TalkEvent } from "./TalkEvent.ts"

type Collected = Extract<Command, { readonly _tag: "Collected" }>
type SetPrivate = Extract<Command, { readonly _tag: "SetPrivate" }>

interface Waiting {
  readonly name: string
  readonly collected: Deferred.Deferred<Collected>
}

export interface Parts {
  readonly workers: Workers
  readonly line: Line
  readonly record: CallRecord
  readonly post: (event: TalkEvent) => void
}

/** Real milliseconds after the last key, while its tone may still be in the sound. */
const toneEndsAfter = "250 millis"

export const make = ({ line, post, record, workers }: Parts) => {
  /** The waiting collections by the id of the tool's call. */
  const waiting = new Map<string, Waiting>()
  const privacy = makePrivacy(record, workers)

  const controlOf =
    (call: string): CallControls["collectDigits"] =>
    (name, wanted) =>
      Effect.sync(() => {
        if (line.hearsKeys !== true) return false
        record.digits?.delete(name)
        waiting.set(call, { name, collected: Deferred.makeUnsafe() })
        post({ _tag: "Ordered", call, order: { _tag: "Collect", ...wanted } })
        return true
      })

  /**
   * Waits for the digits, if the tool has asked for any. The result says how many came. It also waits for the recording
   * to continue, so that the transcript keeps what is said and done next.
   */
  const complete = Effect.fnUntraced(function* (call: string, invocation: ToolInvocation) {
    const found = waiting.get(call)
    if (found === undefined) return invocation
    const collected = yield* Effect.ensuring(
      Deferred.await(found.collected),
      Effect.sync(() => waiting.delete(call)),
    )
    if (record.recording !== null && collected.ended_by !== "replaced") yield* privacy.awaitPublic
    record.wordless.add(invocation.id)
    const duration_ms = (yield* Clock.currentTimeMillis) - invocation.started_at.getTime()
    return { ...invocation, result: resultOf(found.name, collected), duration_ms }
  })

  const collect = (collected: Collected): void => {
    const found = waiting.get(collected.call)
    if (found === undefined) return
    if (collected.digits !== null) record.digits?.set(found.name, collected.digits)
    Deferred.doneUnsafe(found.collected, Effect.succeed(collected))
  }

  const execute = (command: Collected | SetPrivate): Effect.Effect<void> =>
    command._tag === "Collected" ? Effect.sync(() => collect(command)) : privacy.set(command.is_private)

  return { controlOf, complete, execute }
}

/** The privacy of the call's sound: while it is private, its recording is paused. */
const makePrivacy = (record: CallRecord, workers: Workers) => {
  /** Completed when the sound is public again; null while it is public. */
  let isPublic: Deferred.Deferred<void> | null = null

  const set = (isPrivate: boolean): Effect.Effect<void> => {
    const tell = Effect.sync(() => {
      if (isPrivate || isPublic === null) return
      Deferred.doneUnsafe(isPublic, Effect.void)
      isPublic = null
    })
    const apply = Effect.suspend(() => {
      record.is_private = isPrivate
      const paused = record.recording?.setPrivate(isPrivate) ?? Effect.void
      // A pause takes effect at once, and is written to the database after that.
      return Effect.all([paused, tell], { concurrency: "unbounded", discard: true })
    })
    if (isPrivate) isPublic ??= Deferred.makeUnsafe()
    return workers.run("privacy", isPrivate ? apply : Effect.delay(apply, toneEndsAfter))
  }

  const awaitPublic = Effect.suspend(() => (isPublic === null ? Effect.void : Deferred.await(isPublic)))
  return { set, awaitPublic }
}

const resultOf = (name: string, { count, digits, ended_by }: Collected) =>
  digits === null
    ? { status: count === 0 ? "nothing_pressed" : "too_few", digits: count, ended_by }
    : { status: "collected", digits: count, ended_by, reference: `{{digits.${name}}}` }
