/**
 * For a filter whose rule JSON Schema cannot express. Without this annotation the generator leaves the filter out, and
 * with it the description of the field.
 */
export const inexpressible = { toJsonSchema: () => ({}) }
