/**
 * Judges a value by a JSON Schema 2020-12, keyword by keyword, in steps that are counted: no code is made of what a
 * tenant wrote. Formats are asserted. What was evaluated is collected only where some `unevaluated…` asks for it.
 */
import type { Schema } from "effect"
import type { Issue } from "../../domain/Refusals.ts"
import { applicators, type Judging, type Seen } from "./Applicators.ts"
import { assertions } from "./Assertions.ts"
import { type Budget, OutOfSteps } from "../../offload/Budget.ts"
import { isObject } from "./Keywords.ts"
import { type Path, pointerOf } from "./Path.ts"
import { Patterns } from "./Patterns.ts"
import { Places, type Resource } from "./Places.ts"

/** As many as anybody reads: a value of a megabyte may have as many as it has items. */
const mostFaults = 50
/** Schemas that are being judged inside of each other. A body is 32 deep, and each of its places may pass a few. */
const deepest = 256

class EnoughFaults extends Error {
  override readonly name = "EnoughFaults"
}

/** By the schema's own object: a call's kit is prepared once, and forgotten with it. */
const validations = new WeakMap<Schema.JsonObject, Validation>()

interface Judged {
  /** One in which `faultsInSchema` has found nothing. */
  readonly schema: Schema.JsonObject
  readonly value: Schema.Json
}

/** The faults of a value as pointers into it, 50 at most; none: it fits. Throws `OutOfSteps`. */
export const faultsInValue = ({ schema, value }: Judged, budget: Budget): ReadonlyArray<Issue> => {
  const validation = validations.get(schema) ?? new Validation(schema, budget)
  validations.set(schema, validation)
  return validation.faultsOf(value, budget)
}

class Validation {
  private readonly document: Schema.JsonObject
  private readonly places: Places
  private readonly patterns = new Patterns()
  private readonly collects: boolean

  constructor(document: Schema.JsonObject, budget: Budget) {
    this.document = document
    this.places = new Places(document, budget)
    this.collects = /"unevaluated(?:Items|Properties)"/.test(JSON.stringify(document))
  }

  faultsOf(value: Schema.Json, budget: Budget): ReadonlyArray<Issue> {
    const faults: Array<Issue> = []
    const entered: Array<Resource> = [this.places.root]
    /** Above 0, a schema may fail without a fault of the value, as in `anyOf`. */
    let silent = 0

    const refuse = (path: Path | undefined, detail: string): false => {
      if (silent > 0) return false
      faults.push({ pointer: pointerOf(path), detail })
      if (faults.length === mostFaults) throw new EnoughFaults()
      return false
    }
    const judge: Judging["judge"] = (schema, value, path, seen) => {
      budget.spend(2)
      if (schema === true) return true
      if (!isObject(schema)) return refuse(path, "is not allowed")
      if (entered.length > deepest) throw new OutOfSteps("too deep")
      entered.push(this.places.resourceOf(schema))
      const own: Seen | undefined = this.collects ? { keys: new Set(), all: false } : undefined
      const fits = assert(schema, value, path) && apply(schema, value, path, own)
      entered.pop()
      if (fits && own !== undefined && seen !== undefined) merge(own, seen)
      return fits
    }
    /** One whose own keywords fail is not judged further: a text is not to be told of the members that it lacks. */
    const assert = (schema: Schema.JsonObject, value: Schema.Json, path: Path | undefined): boolean => {
      let fits = true
      for (const [keyword, operand] of Object.entries(schema)) {
        budget.spend(1)
        if (!Object.hasOwn(assertions, keyword)) continue
        const fault = assertions[keyword]?.(operand as never, value, judging)
        if (fault !== undefined) fits = refuse(path, fault)
        if (!fits && silent > 0) return false
      }
      return fits
    }
    const apply = (schema: Schema.JsonObject, value: Schema.Json, path: Path | undefined, seen: Seen | undefined) => {
      let fits = true
      for (const applicator of applicators) {
        if (!applicator(judging, schema, value, path, seen)) fits = false
        if (!fits && silent > 0) return false
      }
      return fits
    }
    const merge = (own: Seen, seen: Seen) => {
      budget.spend(own.keys.size)
      for (const key of own.keys) seen.keys.add(key)
      if (own.all) seen.all = true
    }
    const judging: Judging = {
      ...{ budget, entered, judge, refuse },
      ...{ patterns: this.patterns, places: this.places },
      fits: (schema, value, path, seen) => {
        silent += 1
        const fits = judge(schema, value, path, seen)
        silent -= 1
        return fits
      },
    }
    try {
      judge(this.document, value, undefined)
    } catch (cause) {
      if (!(cause instanceof EnoughFaults)) throw cause
    }
    return faults
  }
}
