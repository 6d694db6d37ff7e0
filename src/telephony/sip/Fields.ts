/**
 * Parses the values of SIP header fields: lists, parameters, addresses and `Via` (RFC 3261 §20). Parsers never throw,
 * take linear time, and return null for text that they cannot read.
 */
import { isUri, paramsFrom, parseHostPort } from "./Uri.ts"

export interface Address {
  readonly display: string
  readonly uri: string
  readonly params: ReadonlyMap<string, string | null>
}

export interface Via {
  /** In upper case: `UDP`, `TCP`, `TLS`. */
  readonly transport: string
  readonly host: string
  readonly port: number | null
  readonly params: ReadonlyMap<string, string | null>
}

const tokenCharacters = "[A-Za-z0-9\\-.!%*_+`'~]"
export const token = new RegExp(`^${tokenCharacters}+$`)
const plainDisplay = new RegExp(`^(?:${tokenCharacters}|\\s)*$`)
/** Accepts any version, because a request of another version is answered at the address in its `Via`. */
const protocol = /^SIP\s*\/\s*\d+\.\d+\s*\/\s*(\S+)\s+/i

/** Calls `visit` with the position of each character outside of quoted text; it returns true to stop. */
const scan = (text: string, visit: (at: number, character: string) => boolean): void => {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (isQuoted && character === "\\") at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && visit(at, character)) return
  }
}

/** Splits at a character, but not inside of quotes or angle brackets. */
export const splitOutside = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let from = 0
  let isInBrackets = false
  scan(text, (at, character) => {
    if (character === "<") isInBrackets = true
    else if (character === ">") isInBrackets = false
    else if (character === separator && !isInBrackets) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
    return false
  })
  parts.push(text.slice(from))
  return parts
}

/** The values of a header field that may hold several. */
export const splitList = (text: string): ReadonlyArray<string> =>
  splitOutside(text, ",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

/** Whether every quotation mark has its partner. */
const isBalanced = (text: string): boolean => {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === "\\") at++
    else if (text[at] === '"') isQuoted = !isQuoted
  }
  return !isQuoted
}

/** `From`, `To`, `Contact` and their like. */
export const parseAddress = (text: string): Address | null => {
  const trimmed = text.trim()
  if (!isBalanced(trimmed)) return null
  let open = -1
  scan(trimmed, (at, character) => {
    if (character === "<") open = at
    return open >= 0
  })
  if (open < 0) return parseBareAddress(trimmed)
  const close = trimmed.indexOf(">", open)
  if (close < 0) return null
  const display = trimmed.slice(0, open).trim()
  if (!display.startsWith('"') && !plainDisplay.test(display)) return null
  const uri = trimmed.slice(open + 1, close)
  const params = paramsFrom(splitOutside(trimmed.slice(close + 1), ";").slice(1))
  return isUri(uri) ? { display, uri, params } : null
}

/**
 * Without angle brackets, parameters after a semicolon belong to the field, and the URI may have neither `?` nor comma.
 */
const parseBareAddress = (text: string): Address | null => {
  const [first = "", ...rest] = text.split(";")
  const uri = first.trim()
  return isUri(uri) && !/[?,]/.test(uri) ? { display: "", uri, params: paramsFrom(rest) } : null
}

export const tagOf = ({ params }: Address): string => params.get("tag") ?? ""

export const parseVia = (text: string): Via | null => {
  const start = protocol.exec(text)
  if (start === null || !token.test(start[1] ?? "")) return null
  const [sentBy = "", ...params] = splitOutside(text.slice(start[0].length), ";")
  const place = parseHostPort(sentBy.replace(/\s+/g, ""))
  return place === null ? null : { transport: (start[1] ?? "").toUpperCase(), ...place, params: paramsFrom(params) }
}

/** Parses a decimal number up to `most`; null for any other text. */
export const parseNumber = (text: string | undefined, most: number): number | null => {
  const digits = text?.trim() ?? ""
  return /^\d{1,12}$/.test(digits) && Number(digits) <= most ? Number(digits) : null
}
