/** The disposition as one more field of the outcome: of `record_outcome`, and of the form that is read from a transcript. */
import type { Schema } from "effect"
import { type CallDisposition, makeDisposition } from "./CallDisposition.ts"
import type { Disposition } from "./Disposition.ts"
import { isObject } from "./JsonValue.ts"

/** The field that has the key. */
export const dispositionField = "disposition"

/** The schema of the outcome with the disposition as its first field. Null if there is nothing to read. */
export const schemaWith = (
  outcome_schema: Schema.JsonObject | null,
  dispositions: ReadonlyArray<Disposition>,
): Schema.JsonObject | null => {
  if (dispositions.length === 0) return outcome_schema
  const { properties, ...schema } = outcome_schema ?? { type: "object" }
  const field = {
    type: "string",
    enum: dispositions.map(({ key }) => key),
    description: `What came of the call. ${dispositions.map(({ key, label }) => `${key}: ${label}`).join("; ")}`,
  }
  return { ...schema, properties: { [dispositionField]: field, ...(isObject(properties) ? properties : {}) } }
}

/** The disposition among the values that were read. */
export const dispositionIn = (
  values: Schema.JsonObject,
  dispositions: ReadonlyArray<Disposition>,
  at: Date,
): CallDisposition | null => {
  const found = dispositions.find(({ key }) => key === values[dispositionField])
  return found === undefined ? null : makeDisposition(found, { source: "extracted", by: null, at })
}

/** The same without the disposition, which a call shows beside its result. */
export const withoutDisposition = (values: Schema.JsonObject): Schema.JsonObject => {
  const { [dispositionField]: _, ...others } = values
  return others
}

/** Whether the schema of an outcome has that field itself. */
export const hasDispositionField = (outcome_schema: Schema.JsonObject | null): boolean => {
  const properties = outcome_schema?.["properties"]
  return isObject(properties) && Object.hasOwn(properties, dispositionField)
}
