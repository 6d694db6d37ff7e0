/**
 * Checks JSON Schemas when they are written, and a tool's arguments by them, in a trial or on a call. Schemas are
 * tenants' input, so schemas and values both go through Offload.
 */
import { Effect, type Schema } from "effect"
import { type Crowded, Invalid, type Issue, type TooCostly, tooCostly } from "../domain/Refusals.ts"
import type { WorkerJob } from "../offload/Job.ts"
import * as Offload from "../offload/Offload.ts"
import { deadlineSeconds, type Overrun } from "../offload/WorkerProcess.ts"

const maximumBytes = 64 * 1024

const module = new URL("./schema/Judge.ts", import.meta.url).href
const inspecting: WorkerJob<ReadonlyArray<Issue>> = { module, name: "inspect" }
const judging: WorkerJob<ReadonlyArray<Issue>> = { module, name: "judge" }

/**
 * Refuses a value that is not a JSON Schema of an object or exceeds the limits. The faults have the field's pointer.
 */
export const check = Effect.fn("JsonSchema.check")(function* (pointer: string, schema: Schema.JsonObject) {
  const under = (faults: ReadonlyArray<Issue>) =>
    new Invalid({ errors: faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })) })
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > maximumBytes) {
    return yield* under([{ pointer: "", detail: `must have at most 64 KiB; it has ${bytes} bytes` }])
  }
  const faults = yield* Effect.catchTag(Offload.inWorker(inspecting, schema), "Overrun", (overrun) =>
    refusalOf(pointer, "is too costly to check", overrun),
  )
  if (faults.length > 0) return yield* under(faults)
  if (schema["type"] !== "object") return yield* under([{ pointer: "/type", detail: 'must be "object"' }])
})

/**
 * The faults of `value` by a schema that `check` has accepted, as pointers into the value, at most 50. Empty if it
 * fits.
 */
export const faultsOf = (
  schema: Schema.JsonObject,
  value: Schema.Json,
): Effect.Effect<ReadonlyArray<Issue>, TooCostly | Crowded> =>
  Effect.catchTag(Offload.inWorker(judging, { schema, value }), "Overrun", (overrun) =>
    refusalOf("", "cannot be checked against the schema", overrun),
  )

const refusalOf = (pointer: string, what: string, { limit }: Overrun) => {
  const why = limit === "time" ? `it takes longer than ${deadlineSeconds} s` : "it takes more memory than it may"
  return tooCostly(pointer, `${what}: ${why}. Make the schema simpler, or the value smaller.`)
}
