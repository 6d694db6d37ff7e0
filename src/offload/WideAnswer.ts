/**
 * Encodes an answer and writes it as JSON without holding the event loop. A page of a hundred rows, each as wide as a
 * request may be, takes more than a second to encode and write, so both are done item by item.
 */
import { Effect, Schema, SchemaAST } from "effect"
import * as Ticks from "../tenancy/Ticks.ts"

/** The value was checked when it was written and when its row was read. */
const options = { disableChecks: true } as const

/**
 * Encodes the struct, and leaves the items of its lists to be encoded one by one while JSON is written: all encoded
 * items of a wide page would be a hundred megabytes for the garbage collector. A value that does not fit the schema is
 * a defect.
 */
export const encoderOf = <A, Wire>(schema: Schema.Codec<A, Wire>): ((value: A) => Effect.Effect<Wire>) => {
  const encodeWhole = Schema.encodeUnknownEffect(schema, options)
  const lists = listsOf(schema)
  if (lists.length === 0) return (value) => Effect.orDie(encodeWhole(value))
  const empty = Object.fromEntries(lists.map(({ name }) => [name, []]))
  return (value) => {
    const itemsOf = value as Readonly<Record<string, ReadonlyArray<unknown>>>
    const unwritten = Object.fromEntries(
      lists.map(({ encode, name }) => [name, itemsOf[name]?.map((item) => new Unwritten(item, encode))]),
    )
    return Effect.map(Effect.orDie(encodeWhole({ ...value, ...empty })), (wire) => ({ ...wire, ...unwritten }))
  }
}

/** An item that is encoded only when it is written as JSON. */
class Unwritten {
  private readonly item: unknown
  private readonly encode: (item: unknown) => unknown

  constructor(item: unknown, encode: (item: unknown) => unknown) {
    this.item = item
    this.encode = encode
  }

  toJSON(): unknown {
    return this.encode(this.item)
  }
}

interface List {
  readonly name: string
  readonly encode: (item: unknown) => unknown
}

type Field = Schema.Codec<unknown> & { readonly value?: Schema.Codec<unknown> }

/** The fields of a plain struct that are plain arrays. */
const listsOf = (schema: Schema.Constraint & { readonly fields?: Readonly<Record<string, Field>> }): Array<List> => {
  if (schema.fields === undefined || !SchemaAST.isObjects(schema.ast) || schema.ast.encoding !== undefined) return []
  return Object.entries(schema.fields).flatMap(([name, { ast, value }]) =>
    SchemaAST.isArrays(ast) && ast.encoding === undefined && value !== undefined
      ? [{ name, encode: Schema.encodeUnknownSync(value, options) }]
      : [],
  )
}

/** Characters that are turned into bytes at once, which takes a few milliseconds. A shorter answer is never copied. */
const charactersAPiece = 2 * 1024 * 1024

/**
 * JSON in UTF-8, as `JSON.stringify` writes it. Values `levels` deep are written at once: the items of `{"items":[…]}`
 * are two levels deep.
 */
export const jsonBytes = Effect.fnUntraced(function* (value: unknown, levels: number) {
  const pieces: Array<Uint8Array> = []
  const encoder = new TextEncoder()
  let text = ""
  const cut = () => {
    pieces.push(encoder.encode(text))
    text = ""
  }
  const parts: Array<Part> = []
  const closing = divide(value, levels, "", parts)
  yield* Ticks.forEach(parts, ({ mark, value }) => {
    text += mark + (JSON.stringify(value) ?? "null")
    if (text.length > charactersAPiece) cut()
  })
  text += closing
  cut()
  return yield* joinPieces(pieces)
})

/** A value that is written at once, and the text between it and the value before. */
interface Part {
  readonly mark: string
  readonly value: unknown
}

/** Appends the value's parts, with `mark` before the first. Returns the text that follows the last one. */
const divide = (value: unknown, levels: number, mark: string, parts: Array<Part>): string => {
  if (levels === 0 || typeof value !== "object" || value === null || value instanceof Unwritten) {
    parts.push({ mark, value })
    return ""
  }
  let isFirst = true
  let before = mark + (Array.isArray(value) ? "[" : "{")
  const add = (member: unknown, name: string) => {
    before = divide(member, levels - 1, before + (isFirst ? "" : ",") + name, parts)
    isFirst = false
  }
  if (Array.isArray(value)) {
    for (const item of value) add(item, "")
    return `${before}]`
  }
  for (const [name, member] of Object.entries(value)) if (member !== undefined) add(member, `${JSON.stringify(name)}:`)
  return `${before}}`
}

/** Concatenates the pieces. */
export const joinPieces = Effect.fnUntraced(function* (pieces: ReadonlyArray<Uint8Array>) {
  const [only, ...others] = pieces
  if (only !== undefined && others.length === 0) return only
  // Neither pooled nor filled with zeros: the pages of its memory are first touched as the pieces are copied.
  const bytes: Uint8Array = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  yield* Ticks.forEach(pieces, (piece) => {
    bytes.set(piece, at)
    at += piece.length
  })
  return bytes
})
