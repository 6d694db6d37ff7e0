/** What is different between two versions of an agent, field by field; longer texts line by line. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff"
import { JsonPointer, type Schema } from "effect"
import type { AgentVersion, VersionChange } from "../domain/AgentVersion.ts"

type Version = Pick<AgentVersion, "version" | "agent" | "tools" | "playbooks" | "faqs">

/** Changes in the order of the version: the agent's fields, tools, playbooks, FAQs. `before` null: all of it is new. */
export const changesBetween = (before: Version | null, after: Version): ReadonlyArray<VersionChange> => {
  const names = { before: `version ${before?.version ?? 0}`, after: `version ${after.version}` }
  const fieldsBefore = before === null ? new Map<string, Schema.Json>() : fieldsOf(before)
  const fieldsAfter = fieldsOf(after)
  const paths = new Set([...fieldsAfter.keys(), ...fieldsBefore.keys()])
  return [...paths].flatMap((path): ReadonlyArray<VersionChange> => {
    const [was, is] = [fieldsBefore.get(path), fieldsAfter.get(path)]
    if (was === undefined && is !== undefined) return [{ path, kind: "added", before: null, after: is, diff: null }]
    if (was !== undefined && is === undefined) return [{ path, kind: "removed", before: was, after: null, diff: null }]
    if (was === undefined || is === undefined || same(was, is)) return []
    return [{ path, kind: "changed", before: was, after: is, diff: unified(was, is, names) }]
  })
}

/** What can change by itself, by where it is. */
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

/** With the order of keys: a model is asked for arguments in that order. */
const same = (was: Schema.Json, is: Schema.Json) => JSON.stringify(was) === JSON.stringify(is)

/** Shorter ones are seen at a glance. */
const short = 60
/** Lines that may differ before there is no point in telling which. */
const mostEdits = 4_000

const unified = (was: Schema.Json, is: Schema.Json, names: { readonly before: string; readonly after: string }) => {
  const [left, right] = [linesOf(was), linesOf(is)]
  if (left === null || right === null) return null
  if (left.length <= short && right.length <= short && !left.includes("\n") && !right.includes("\n")) return null
  const patch = createTwoFilesPatch(names.before, names.after, left, right, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch ?? null
}

const linesOf = (value: Schema.Json): string | null => {
  if (typeof value === "string") return value
  return typeof value === "object" && value !== null ? JSON.stringify(value, undefined, 2) : null
}
