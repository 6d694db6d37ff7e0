/**
 * The errors that refuse a list of numbers as a whole. They cross Node's streams as thrown errors before they become an
 * answer.
 */
import { Data, Effect, Schema } from "effect"
import { Invalid } from "../../domain/Refusals.ts"

/** The file is not a valid list: a 400 that points at the form's file. */
export class ListRefused extends Data.TaggedError("ListRefused")<{
  readonly detail: string
  /** Further faults, one for each row. */
  readonly rows?: ReadonlyArray<string>
}> {
  override get message() {
    return this.detail
  }
}

/**
 * The list exceeds its limit, 10 MB for contacts. This is detected at the first excess byte, not at the end (spec §8).
 */
export class ListTooLarge extends Schema.TaggedError<ListTooLarge>()("ListTooLarge", {
  limit_bytes: Schema.Int.annotate({ description: "The maximum length of the list, in bytes." }),
}) {
  override get message() {
    return `The list may have at most ${this.limit_bytes} bytes`
  }
}

/** Turns a thrown fault that the sender of the field `field` can fix into a refusal. Any other cause is a defect. */
export const failAsRefusal =
  (field: string) =>
  (cause: unknown): Effect.Effect<never, Invalid | ListTooLarge> => {
    if (cause instanceof ListTooLarge || cause instanceof Invalid) return Effect.fail(cause)
    if (!(cause instanceof ListRefused)) return Effect.die(cause)
    const details = [cause.detail, ...(cause.rows ?? [])]
    return Effect.fail(new Invalid({ errors: details.map((detail) => ({ pointer: `/${field}`, detail })) }))
  }
