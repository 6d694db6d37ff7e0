/** Keywords that judge a value, or its parts, by other schemas. */
import type { Schema } from "effect"
import type { Budget } from "../../offload/Budget.ts"
import { isObject, member } from "./Keywords.ts"
import type { Path } from "./Path.ts"
import type { Patterns } from "./Patterns.ts"
import type { Places, Resource } from "./Places.ts"

/** The members or items of one value that schemas have judged. */
export interface Seen {
  readonly keys: Set<string | number>
  all: boolean
}

/** The judging in progress, as keywords see it. */
export interface Judging {
  readonly budget: Budget
  readonly patterns: Patterns
  readonly places: Places
  /** The resources whose schemas are being judged, the outermost first. */
  readonly entered: ReadonlyArray<Resource>
  /** Every fault is told. */
  readonly judge: (schema: Schema.Json, value: Schema.Json, path: Path | undefined, seen?: Seen) => boolean
  /** No fault is told. */
  readonly fits: (schema: Schema.Json, value: Schema.Json, path: Path | undefined, seen?: Seen) => boolean
  readonly refuse: (path: Path | undefined, detail: string) => false
}

/** Judges by some of the keywords of `schema`; what it evaluates goes into `seen`. */
type Applicator = (
  judging: Judging,
  schema: Schema.JsonObject,
  value: Schema.Json,
  path: Path | undefined,
  seen: Seen | undefined,
) => boolean

const listAt = (schema: Schema.JsonObject, keyword: string): ReadonlyArray<Schema.Json> => {
  const list = member(schema, keyword)
  return Array.isArray(list) ? list : []
}

const objectAt = (schema: Schema.JsonObject, keyword: string): Schema.JsonObject => {
  const object = member(schema, keyword)
  return isObject(object) ? object : {}
}

const judgeReferences: Applicator = (judging, schema, value, path, seen) => {
  const { entered, places } = judging
  const [$ref, $dynamicRef] = [member(schema, "$ref"), member(schema, "$dynamicRef")]
  if ($ref === undefined && $dynamicRef === undefined) return true
  const from = places.resourceOf(schema)
  const targets = [
    typeof $ref === "string" ? places.find($ref, from) : undefined,
    typeof $dynamicRef === "string" ? places.findDynamic($dynamicRef, from, entered) : undefined,
  ]
  return targets
    .map((target) => target === undefined || judging.judge(target.schema, value, path, seen))
    .every((fits) => fits)
}

const judgeLogic: Applicator = (judging, schema, value, path, seen) => {
  let fits = true
  for (const inner of listAt(schema, "allOf")) if (!judging.judge(inner, value, path, seen)) fits = false
  const anyOf = listAt(schema, "anyOf")
  if (anyOf.length > 0) {
    // Where somebody asks what was evaluated, the rest counts, too.
    const fitting = (inner: Schema.Json) => judging.fits(inner, value, path, seen)
    const some = seen === undefined ? anyOf.some(fitting) : anyOf.filter(fitting).length > 0
    if (!some) fits = judging.refuse(path, "must match a schema in anyOf")
  }
  const oneOf = listAt(schema, "oneOf")
  if (oneOf.length > 0) {
    const count = oneOf.filter((inner) => judging.fits(inner, value, path, seen)).length
    if (count !== 1) fits = judging.refuse(path, `must match exactly one schema in oneOf; it matches ${count}`)
  }
  const not = member(schema, "not")
  if (not !== undefined && judging.fits(not, value, path)) fits = judging.refuse(path, "must NOT be valid")
  const condition = member(schema, "if")
  if (condition !== undefined) {
    const consequence = member(schema, judging.fits(condition, value, path, seen) ? "then" : "else")
    if (consequence !== undefined && !judging.judge(consequence, value, path, seen)) fits = false
  }
  return fits
}

const judgeItems: Applicator = (judging, schema, value, path, seen) => {
  if (!Array.isArray(value)) return true
  const values: ReadonlyArray<Schema.Json> = value
  const items = member(schema, "items")
  const prefix = Array.isArray(items) ? listAt(schema, "items") : listAt(schema, "prefixItems")
  const rest = Array.isArray(items) ? member(schema, "additionalItems") : items
  let fits = true
  const each = (at: number, inner: Schema.Json) => {
    const place = { parent: path, token: at }
    if (inner === false) fits = judging.refuse(place, "is an item too many")
    else if (!judging.judge(inner, values[at] ?? null, place)) fits = false
  }
  for (const [at, inner] of prefix.entries()) {
    if (at >= values.length) break
    each(at, inner)
    seen?.keys.add(at)
  }
  if (rest !== undefined) {
    for (let at = prefix.length; at < values.length; at++) each(at, rest)
    if (seen !== undefined) seen.all = true
  }
  if (!judgeContains(judging, schema, values, path, seen)) fits = false
  const unevaluated = member(schema, "unevaluatedItems")
  if (unevaluated !== undefined && seen !== undefined) {
    for (const at of values.keys()) if (!seen.all && !seen.keys.has(at)) each(at, unevaluated)
    seen.all = true
  }
  return fits
}

const judgeContains = (
  judging: Judging,
  schema: Schema.JsonObject,
  values: ReadonlyArray<Schema.Json>,
  path: Path | undefined,
  seen: Seen | undefined,
): boolean => {
  const contains = member(schema, "contains")
  if (contains === undefined) return true
  const [least = 1, most = Number.POSITIVE_INFINITY] = [member(schema, "minContains"), member(schema, "maxContains")]
  let count = 0
  for (const [at, item] of values.entries()) {
    if (!judging.fits(contains, item, { parent: path, token: at })) continue
    count += 1
    seen?.keys.add(at)
  }
  if (count < Number(least)) return judging.refuse(path, `must contain at least ${least} items that fit contains`)
  if (count > Number(most)) return judging.refuse(path, `must contain at most ${most} items that fit contains`)
  return true
}

const judgeMembers: Applicator = (judging, schema, value, path, seen) => {
  if (!isObject(value)) return true
  const keys = Object.keys(value)
  judging.budget.spend(keys.length)
  const [properties, patterns] = [objectAt(schema, "properties"), Object.entries(objectAt(schema, "patternProperties"))]
  const [additional, names] = [member(schema, "additionalProperties"), member(schema, "propertyNames")]
  let fits = judgeRequired(judging, schema, value, path)
  const each = (key: string, inner: Schema.Json) => {
    const place = { parent: path, token: key }
    if (inner === false) fits = judging.refuse(place, "is not a known property")
    else if (!judging.judge(inner, value[key] ?? null, place)) fits = false
  }
  for (const key of keys) {
    judging.budget.spend(2 + key.length / 8)
    if (names !== undefined && !judging.fits(names, key, path)) {
      fits = judging.refuse({ parent: path, token: key }, "has a name that is not allowed")
    }
    const named = member(properties, key)
    const matching = patterns.filter(([pattern]) => judging.patterns.isIn(key, pattern, judging.budget))
    if (named !== undefined) each(key, named)
    for (const [, inner] of matching) each(key, inner)
    const isNamed = named !== undefined || matching.length > 0
    if (!isNamed && additional !== undefined) each(key, additional)
    if (isNamed || additional !== undefined) seen?.keys.add(key)
  }
  if (!judgeDependents(judging, schema, value, path, seen)) fits = false
  const unevaluated = member(schema, "unevaluatedProperties")
  if (unevaluated !== undefined && seen !== undefined) {
    for (const key of keys) if (!seen.all && !seen.keys.has(key)) each(key, unevaluated)
    seen.all = true
  }
  return fits
}

const judgeRequired = (
  judging: Judging,
  schema: Schema.JsonObject,
  value: Schema.JsonObject,
  path: Path | undefined,
): boolean => {
  let fits = true
  const require = (name: Schema.Json, why: string) => {
    judging.budget.spend(1)
    if (!Object.hasOwn(value, String(name))) fits = judging.refuse({ parent: path, token: String(name) }, why)
  }
  for (const name of listAt(schema, "required")) require(name, "is required")
  for (const keyword of ["dependentRequired", "dependencies"]) {
    for (const [key, names] of Object.entries(objectAt(schema, keyword))) {
      judging.budget.spend(1)
      if (!Array.isArray(names) || !Object.hasOwn(value, key)) continue
      for (const name of names as ReadonlyArray<Schema.Json>) require(name, `is required beside ${key}`)
    }
  }
  return fits
}

const judgeDependents: Applicator = (judging, schema, value, path, seen) => {
  let fits = true
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    for (const [key, inner] of Object.entries(objectAt(schema, keyword))) {
      judging.budget.spend(1)
      if (Array.isArray(inner) || !isObject(value) || !Object.hasOwn(value, key)) continue
      if (!judging.judge(inner, value, path, seen)) fits = false
    }
  }
  return fits
}

/** In this order: `unevaluated…`, at the end of the last ones, asks what all others have evaluated. */
export const applicators: ReadonlyArray<Applicator> = [judgeReferences, judgeLogic, judgeItems, judgeMembers]
