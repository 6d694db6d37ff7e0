/** Values at and beyond the limits of a JSON Schema: lengths, bounds, other types, other keys. */

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly examples?: ReadonlyArray<unknown>
}

export type Resolve = (pointer: string) => JsonSchema

/** Values of every type, none of which a client would send on purpose. */
export const odd: ReadonlyArray<unknown> = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e21,
    2 ** 53,
    2 ** 31,
    "",
    " ",
    "x",
    "a b",
    "a\u202eb",
    "a\u200bb",
    "a\tb",
    "\n",
    "é",
    "🙂",
    [],
    {},
    [[]],
  ],
  ...["00000000-0000-0000-0000-000000000000", "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b", "not-a-uuid", "FFFFFFFF"],
  ...["019aa3f2-7c1e-0a42-9d3b-5f0c1e2d3a4b", "019aa3f2-7c1e-7a42-0d3b-5f0c1e2d3a4b"],
  ...["+14155550100", "14155550100", "+0415555010", "+141555501001234567", "=+14155550100"],
  ...[
    "2026-11-21T10:00:00Z",
    "2026-02-30T10:00:00Z",
    "2026-11-21",
    "2026-11-21T10:00:00+02:00",
    "2026-11-21t10:00:00z",
  ],
  ...["Europe/Berlin", "europe/berlin", "UTC", "Mars/Base", "+01:00", "GMT", "contact", "CET", "EST5EDT"],
  ...["09:00", "24:00", "24:01", "9:00", "a@b", "a b@c", "https://example.com", "https://example.com/", "HTTPS://A.b"],
  ...["#1a1b19", "#1a1b1", "whsec_" + "A".repeat(32), "whsec_" + "A".repeat(30) + "==", "whsec_AAAA", "********"],
  ...["en", "en-US", "e", "de-x", "Rosa", " Rosa", "Rosa ", "_a", "9a", "a-b", "lab", "Lab", "*", "call.ended", "US"],
  ...[["a", "a"], ["a", "b"], ["read", "read"], ["mon", "mon"], ["*"], [null], [1], { a: 1 }, { a: { b: [1, null] } }],
  ...[{ __proto__x: 1 }, { constructor: 1 }, { toString: "x" }],
]

/** The greatest depth of generated values. Deep enough for the input of every operation. */
const deepest = 5

export const boundaries = (schema: JsonSchema, resolve: Resolve, depth = 0): ReadonlyArray<unknown> => {
  const below = (inner: JsonSchema) => (depth >= deepest ? [] : boundaries(inner, resolve, depth + 1))
  if (schema.$ref !== undefined) return below(resolve(schema.$ref))
  return [
    ...(schema.examples ?? []),
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(below),
    ...around(schema.minLength, schema.maxLength).map((length) => "x".repeat(length)),
    ...around(schema.minimum, schema.maximum),
    ...around(schema.minItems, schema.maxItems).flatMap((length) => [
      Array.from({ length }, () => below(schema.items ?? {})[0] ?? "x"),
      Array.from({ length }, (_, at) => `item-${at}`),
    ]),
    ...(schema.items === undefined ? [] : below(schema.items).map((item) => [item])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      below(property).map((value) => ({ [name]: value })),
    ),
    ...(typeof schema.additionalProperties === "object"
      ? below(schema.additionalProperties).map((value) => ({ key: value }))
      : []),
  ]
}

const longest = 200_000

const around = (minimum: number | undefined, maximum: number | undefined): ReadonlyArray<number> =>
  [minimum, maximum]
    .flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]))
    .filter((edge) => Math.abs(edge) <= longest || maximum === undefined || maximum > longest)
