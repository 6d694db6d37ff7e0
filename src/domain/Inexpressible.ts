/**
 * The annotation of a filter whose rule JSON Schema cannot express. Without it, the generator leaves out the filter and
 * the description of the field with it.
 */
export const inexpressible = { toJsonSchema: () => ({}) }
