/**
 * Reads the two numbers of an incoming call. Trunks write them with a plus, with 00, or as digits alone. The called
 * number is in the request's URI or in `To`, the caller's in `P-Asserted-Identity` or in `From`. Plain code.
 */
import { type E164, isE164 } from "../../domain/E164.ts"
import { parseAddress } from "./Fields.ts"
import { fieldOf, type Request, valuesOf } from "./Message.ts"
import { parseUri } from "./Uri.ts"

export interface CalledNumber {
  readonly number: E164
  /** Whether the trunk writes E.164 as digits alone, without a plus. */
  readonly isBare: boolean
}

/** The user part of a `sip:` URI, or what follows `tel:`, without its parameters and separators. */
const digitsOf = (uri: string): string => {
  const user = /^tel:/i.test(uri) ? uri.slice(4) : (parseUri(uri)?.user ?? "")
  const [number = ""] = user.replace(/%2b/gi, "+").split(";")
  return number.length > 40 ? "" : number.replace(/[-.()]/g, "")
}

const numberOf = (digits: string, mayBeBare: boolean): E164 | null => {
  const isForeign = digits.startsWith("00")
  const text = digits.startsWith("+") ? digits : isForeign ? `+${digits.slice(2)}` : mayBeBare ? `+${digits}` : ""
  return isE164(text) ? text : null
}

const uriIn = (field: string | undefined): string => (field === undefined ? "" : (parseAddress(field)?.uri ?? ""))

/** Returns the numbers that may have been called, the likeliest first. */
export const calledNumbersOf = (request: Request): ReadonlyArray<CalledNumber> => {
  const uris = [request.uri, request.to.uri, uriIn(fieldOf(request, "p-called-party-id"))]
  const found = uris.flatMap((uri) => {
    const digits = digitsOf(uri)
    const number = numberOf(digits, true)
    return number === null ? [] : [{ number, isBare: /^[1-9]/.test(digits) }]
  })
  return found.filter(({ number }, at) => found.findIndex((other) => other.number === number) === at)
}

/**
 * Returns the caller's number; null if it is hidden or is not a telephone number. Reads digits alone only if the trunk
 * writes E.164 that way. Otherwise a national number would become another person's number.
 */
export const callerOf = (request: Request, isBare: boolean): E164 | null => {
  const isHidden = valuesOf(request, "privacy").some((value) => /\b(?:id|user|header)\b/i.test(value))
  if (isHidden) return null
  const asserted = valuesOf(request, "p-asserted-identity").map(uriIn)
  for (const uri of [...asserted, request.from.uri]) {
    const number = numberOf(digitsOf(uri), isBare)
    if (number !== null) return number
  }
  return null
}
