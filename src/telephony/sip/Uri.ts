/** Parses and writes SIP URIs (RFC 3261 §19.1). Parsing never throws and takes linear time. */

export interface SipUri {
  readonly scheme: "sip" | "sips"
  /** As written, percent escapes included; null if the URI names only a host. */
  readonly user: string | null
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number | null
  /** Names in lower case; a parameter without a value maps to null. */
  readonly params: ReadonlyMap<string, string | null>
}

const absoluteUri = /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s<>"]+$/
const hostName = /^[A-Za-z0-9._-]{1,255}$/
const ipv6 = /^[0-9A-Fa-f:.]{2,45}$/

/** Whether the text is a URI of any scheme, as far as SIP needs it. */
export const isUri = (text: string): boolean => absoluteUri.test(text)

export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535

/** Splits `host[:port]`, where an IPv6 address has brackets. Null if the text has another form. */
export const parseHostPort = (text: string): { readonly host: string; readonly port: number | null } | null => {
  const bracket = text.startsWith("[") ? text.indexOf("]") : -1
  const isBracketed = bracket > 0
  const colon = isBracketed ? bracket + 1 : text.indexOf(":")
  const end = colon < 0 ? text.length : colon
  const host = isBracketed ? text.slice(1, bracket) : text.slice(0, end)
  if (!(isBracketed ? ipv6 : hostName).test(host)) return null
  const rest = text.slice(end)
  if (rest === "") return { host, port: null }
  return rest.startsWith(":") && isPort(rest.slice(1)) ? { host, port: Number(rest.slice(1)) } : null
}

/** An IPv6 address in brackets, everything else as it is. */
export const writeHost = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Null if the text is not a `sip:` or `sips:` URI. Ignores headers after a `?`. */
export const parseUri = (text: string): SipUri | null => {
  const colon = text.indexOf(":")
  const scheme = text.slice(0, colon).toLowerCase()
  if ((scheme !== "sip" && scheme !== "sips") || !isUri(text)) return null
  const at = text.lastIndexOf("@")
  const user = at < 0 ? null : text.slice(colon + 1, at)
  const beyond = text.slice(Math.max(colon, at) + 1)
  const question = beyond.indexOf("?")
  const [hostPort = "", ...params] = (question < 0 ? beyond : beyond.slice(0, question)).split(";")
  const place = parseHostPort(hostPort)
  return place === null ? null : { scheme, user, ...place, params: paramsFrom(params) }
}

/** Whether the URI carries header fields, which only a URI for people to click may have: `sip:a@b?Route=…`. */
export const hasHeaders = (text: string): boolean => /^sips?:/i.test(text) && text.includes("?", text.lastIndexOf("@"))

/** The first of several parameters of one name counts. */
export const paramsFrom = (parts: ReadonlyArray<string>): ReadonlyMap<string, string | null> => {
  const params = new Map<string, string | null>()
  for (const part of parts) {
    const equals = part.indexOf("=")
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    if (name !== "" && !params.has(name)) params.set(name, equals < 0 ? null : part.slice(equals + 1).trim())
  }
  return params
}

/** Texts that need no escape in the user part of our URIs. */
const plainUser = /^[A-Za-z0-9\-_.!~*'()&=+$,;?/]+$/

export const writeUri = (user: string | null, host: string, port: number | null, scheme = "sip"): string => {
  const escaped = user === null ? "" : `${plainUser.test(user) ? user : encodeURIComponent(user)}@`
  return `${scheme}:${escaped}${writeHost(host)}${port === null ? "" : `:${port}`}`
}
