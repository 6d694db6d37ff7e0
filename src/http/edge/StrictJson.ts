/**
 * JSON as decisions §2 demands it: valid UTF-8, no key twice, no U+0000, no lone surrogate, at most 32 deep.
 * `JSON.parse` decides what is JSON; the scan over the same text finds what `JSON.parse` lets through.
 */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const maximumDepth = 32

/** What is wrong with the bytes, in words; undefined when nothing is. */
export const faultOf = (bytes: Uint8Array, depth = maximumDepth): string | undefined => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return "The body is not valid UTF-8"
  }
  return faultInText(text, depth)
}

/** The same of what came as text. */
export const faultInText = (text: string, depth = maximumDepth): string | undefined => {
  try {
    JSON.parse(text)
  } catch (cause) {
    return `The body is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`
  }
  return scan(text, depth)
}

/** One pass over text that is known to be JSON. Strings are parsed on their own, so that `"a"` and `"\u0061"` are one key. */
const scan = (text: string, depth: number): string | undefined => {
  /** Keys seen in each open object; undefined for an open array. */
  const open: Array<Set<string> | undefined> = []
  let expectsKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "{" || character === "[") {
      if (open.length === depth) return `The body is nested more than ${depth} deep`
      open.push(character === "{" ? new Set() : undefined)
      expectsKey = character === "{"
    } else if (character === "}" || character === "]") {
      open.pop()
      expectsKey = false
    } else if (character === ",") {
      expectsKey = open.at(-1) !== undefined
    } else if (character === '"') {
      const end = closingQuote(text, at)
      const value: string = JSON.parse(text.slice(at, end + 1))
      if (value.includes("\0")) return "The body has the character U+0000, which cannot be stored"
      if (!value.isWellFormed()) return "The body has a lone surrogate, which is no character"
      const keys = open.at(-1)
      if (expectsKey && keys !== undefined) {
        if (keys.has(value)) return `The body has the key ${JSON.stringify(value)} twice in one object`
        keys.add(value)
        expectsKey = false
      }
      at = end
    }
  }
  return undefined
}

const closingQuote = (text: string, opening: number): number => {
  let at = opening + 1
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}
