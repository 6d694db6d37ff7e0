/** The differences between two versions of an agent, field by field; longer texts line by line. */
import { Effect, JsonPointer, type Schema } from "effect"
import type { AgentVersion, VersionChange } from "../domain/AgentVersion.ts"
import * as Offload from "../offload/Offload.ts"
import { comparing } from "./TextDiff.ts"

type Version = Pick<AgentVersion, "version" | "agent" | "tools" | "playbooks" | "faqs">

/**
 * The changes in the order of the version: the agent's fields, tools, playbooks, FAQs. If `before` is null, everything
 * is new.
 */
export const changesBetween = Effect.fn("AgentVersionDiff.changesBetween")(function* (
  before: Version | null,
  after: Version,
) {
  const names = { before: `version ${before?.version ?? 0}`, after: `version ${after.version}` }
  const fieldsBefore = before === null ? new Map<string, Schema.Json>() : fieldsOf(before)
  const fieldsAfter = fieldsOf(after)
  const changes: Array<VersionChange> = []
  for (const path of new Set([...fieldsAfter.keys(), ...fieldsBefore.keys()])) {
    const [was, is] = [fieldsBefore.get(path), fieldsAfter.get(path)]
    if (was === undefined && is !== undefined) {
      changes.push({ path, kind: "added", before: null, after: is, diff: null })
    } else if (was !== undefined && is === undefined) {
      changes.push({ path, kind: "removed", before: was, after: null, diff: null })
    } else if (was !== undefined && is !== undefined && !isSame(was, is)) {
      changes.push({ path, kind: "changed", before: was, after: is, diff: yield* makeUnifiedDiff(was, is, names) })
    }
    // A version may have megabytes: other fibers run between its fields.
    yield* Effect.yieldNow
  }
  return changes
})

/** The values that are compared one by one, by their path. */
const fieldsOf = (version: Version): ReadonlyMap<string, Schema.Json> => {
  const fields = new Map<string, Schema.Json>()
  const add = (path: ReadonlyArray<string>, value: Schema.Json) =>
    fields.set(path.map((part) => `/${JsonPointer.escapeToken(part)}`).join(""), value)
  for (const [field, value] of Object.entries(version.agent)) add(["agent", field], value)
  for (const { config, definition, enabled, tool_name } of version.tools) {
    add(["tools", tool_name, "enabled"], enabled)
    add(["tools", tool_name, "config"], config)
    for (const [field, value] of Object.entries(definition ?? {})) {
      if (field !== "name") add(["tools", tool_name, field], value)
    }
  }
  const order = version.playbooks.map(({ definition }) => definition.name)
  if (order.length > 0) add(["playbooks"], order)
  for (const { definition } of version.playbooks) {
    for (const [field, value] of Object.entries(definition)) {
      if (field !== "name") add(["playbooks", definition.name, field], value)
    }
  }
  for (const { faq_id, name } of version.faqs) add(["faqs", faq_id], name)
  return fields
}

/** Whether two values are equal, including the order of keys: a model is asked for arguments in that order. */
const isSame = (was: Schema.Json, is: Schema.Json) => JSON.stringify(was) === JSON.stringify(is)

/** Characters up to which a value of one line needs no diff: the change is seen at a glance. */
const short = 60

/** A unified diff of two values. Null if it would not help, or if it takes too long to compute. */
const makeUnifiedDiff = Effect.fnUntraced(function* (
  was: Schema.Json,
  is: Schema.Json,
  names: { readonly before: string; readonly after: string },
) {
  const [left, right] = [linesOf(was), linesOf(is)]
  if (left === null || right === null) return null
  if (left.length <= short && right.length <= short && !left.includes("\n") && !right.includes("\n")) return null
  return yield* Effect.catchTag(Offload.run(comparing, { left, right, names }), "Overrun", () => Effect.succeed(null))
})

const linesOf = (value: Schema.Json): string | null => {
  if (typeof value === "string") return value
  return typeof value === "object" && value !== null ? JSON.stringify(value, undefined, 2) : null
}
