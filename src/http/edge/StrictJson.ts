/**
 * Strict JSON (decisions §2): valid UTF-8, no key twice, no U+0000, no lone surrogate, at most 32 levels deep, and no
 * number that a double would round. `JSON.parse` decides what is JSON; a scan of the same text finds what it lets
 * through.
 */
import { JsonPointer } from "effect"
import type { Issue } from "../../domain/Refusals.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const maximumDepth = 32

/** Values in one text, at any depth. More take too long to read (decision 0023). */
export const maximumValues = 10_000

/** The fault of the bytes and its place; undefined if there is none. */
export const faultOf = (bytes: Uint8Array, depth = maximumDepth): Issue | undefined => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { pointer: "", detail: "is not valid UTF-8" }
  }
  return faultInText(text, depth)
}

/** The same for a text. */
export const faultInText = (text: string, depth = maximumDepth): Issue | undefined => {
  if (hasTooManyValues(text)) return { pointer: "", detail: `has more than ${maximumValues} values` }
  try {
    JSON.parse(text)
  } catch (cause) {
    return { pointer: "", detail: `is not valid JSON${reasonOf(cause)}` }
  }
  return new Scan(text, depth).fault()
}

/** V8 quotes the body around the fault; that would send back parts of it, perhaps a lone surrogate. */
const reasonOf = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : ""
  const [, place] = /\((line \d+ column \d+)\)$/.exec(message) ?? []
  if (place !== undefined) return `: see ${place.replace(" column", ", column")}`
  if (message.startsWith("Unexpected end")) return ": it ends too early"
  const [, token] = /^Unexpected token '(.{1,2})'/su.exec(message) ?? []
  return token === undefined ? "" : `: ${JSON.stringify(token)} stands where it must not`
}

interface Open {
  /** The object's keys so far; undefined for an array. */
  readonly keys: Set<string> | undefined
  /** The key or the index of the current value. */
  at: string | number
}

/** One pass over text that is known to be JSON. Strings are parsed, so that `"a"` and `"\u0061"` are one key. */
class Scan {
  private readonly text: string
  private readonly depth: number
  private readonly open: Array<Open> = []

  constructor(text: string, depth: number) {
    this.text = text
    this.depth = depth
  }

  fault(): Issue | undefined {
    const { depth, open, text } = this
    let expectsKey = false
    for (let at = 0; at < text.length; at++) {
      const character = text.charCodeAt(at)
      if (character === brace || character === bracket) {
        if (open.length === depth) return { pointer: "", detail: `is nested more than ${depth} deep` }
        open.push({ keys: character === brace ? new Set() : undefined, at: 0 })
        expectsKey = character === brace
      } else if (character === closingBrace || character === closingBracket) {
        open.pop()
        expectsKey = false
      } else if (character === comma) {
        const inside = open.at(-1)
        expectsKey = inside?.keys !== undefined
        if (typeof inside?.at === "number") inside.at++
      } else if (character === quote) {
        const end = closingQuote(text, at)
        const value: string = JSON.parse(text.slice(at, end + 1))
        const detail = expectsKey ? this.enter(value) : faultInString(value)
        if (detail !== undefined) return { pointer: expectsKey ? this.place(1) : this.place(), detail }
        expectsKey = false
        at = end
      } else if (isNumeric(character)) {
        const end = endOfNumber(text, at)
        const detail = faultInNumber(text.slice(at, end))
        if (detail !== undefined) return { pointer: this.place(), detail }
        at = end - 1
      }
    }
    return undefined
  }

  /** Takes the key of the value that follows. Returns its fault, if it has one. */
  private enter(key: string): string | undefined {
    const inside = this.open.at(-1)
    if (inside?.keys === undefined) return undefined
    const fault = faultInString(key)
    if (fault !== undefined) return `has a key that ${fault}`
    if (inside.keys.has(key)) return `has the key ${JSON.stringify(key)} twice`
    inside.keys.add(key)
    inside.at = key
    return undefined
  }

  /** The pointer of the current value, or of a value that contains it. */
  private place(levelsUp = 0): string {
    const path = this.open.slice(0, this.open.length - levelsUp)
    return path.map(({ at }) => `/${JsonPointer.escapeToken(String(at))}`).join("")
  }
}

const faultInString = (value: string): string | undefined => {
  if (value.includes("\0")) return "has the character U+0000, which cannot be stored"
  if (!value.isWellFormed()) return "has half of a surrogate pair, which is not a character"
  return undefined
}

/** For text that need not be JSON: counts separators and openings outside of strings. */
const hasTooManyValues = (text: string): boolean => {
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = closingQuote(text, at)
    else if (character === comma || character === bracket || character === brace) values += 1
    if (values > maximumValues) return true
  }
  return false
}

/** A number with a fraction or an exponent is a measurement, whose last digits do not matter. */
const faultInNumber = (literal: string): string | undefined => {
  const value = Number(literal)
  if (!Number.isFinite(value)) return "is too large a number"
  return /^-?\d+$/.test(literal) && !Number.isSafeInteger(value)
    ? `is an integer beyond ${Number.MAX_SAFE_INTEGER} and would be rounded; send it as a string`
    : undefined
}

const [brace, closingBrace, bracket, closingBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [quote, comma, minus, zero, nine] = [0x22, 0x2c, 0x2d, 0x30, 0x39]

const isNumeric = (character: number): boolean => character === minus || (character >= zero && character <= nine)

/** The end of the text when the string is never closed. */
const closingQuote = (text: string, opening: number): number => {
  let at = opening + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text[at] === "\\" ? 2 : 1
  return at
}

const numberForm = /[-+.\deE]*/y

const endOfNumber = (text: string, start: number): number => {
  numberForm.lastIndex = start
  return start + (numberForm.exec(text)?.[0].length ?? 1)
}
