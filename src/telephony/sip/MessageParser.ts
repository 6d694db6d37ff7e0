/**
 * Parses SIP messages. It never throws and takes linear time. It is lenient where the meaning is clear. Otherwise it
 * follows RFC 4475: it refuses a bad request if its sender can be answered, and drops a bad response.
 */
import { type Address, parseAddress, parseNumber, parseVia, splitList, token, type Via } from "./Fields.ts"
import type { Field, Message, Unreadable } from "./Message.ts"
import { hasHeaders, isUri, parseUri } from "./Uri.ts"

/** Limits of a message. A datagram has no more bytes, and carriers' INVITEs have some 40 fields. */
export const mostBytes = 65_535
const mostFields = 256
const mostLineLength = 8_192
/** The longest head. Carriers' INVITEs have some 2 KB. Parsing a longer head would block the event loop. */
export const mostHeadBytes = 16_384
/** The most `Via` values. A request passes at most as many proxies as its initial `Max-Forwards`, usually 70. */
const mostVias = 70
/** RFC 3261 §8.1.1.5: below 2³¹. */
const mostSequence = 2 ** 31 - 1

const compactNames = new Map([
  ["a", "accept-contact"],
  ["b", "referred-by"],
  ["c", "content-type"],
  ["e", "content-encoding"],
  ["f", "from"],
  ["i", "call-id"],
  ["k", "supported"],
  ["l", "content-length"],
  ["m", "contact"],
  ["o", "event"],
  ["r", "refer-to"],
  ["s", "subject"],
  ["t", "to"],
  ["u", "allow-events"],
  ["v", "via"],
  ["x", "session-expires"],
])

const statusLine = /^SIP\/2\.0 (\d{3})(?: ([^\r\n]*))?$/i
const requestLine = /^(\S+) ([^\s<>]+) SIP\/(\d+\.\d+)$/i
const sequence = /^(\d{1,10})\s+(\S+)$/
const lineEnd = Buffer.from("\r\n")
export const headEnd = Buffer.from("\r\n\r\n")

/** Fields that may occur only once, with one value. */
const single = ["from", "to", "call-id", "cseq", "max-forwards", "content-length", "content-type"]
const echoed = new Set(["via", "from", "to", "call-id", "cseq"])

export interface Framing {
  /** On a stream, only Content-Length says where a message ends, so it must be there. */
  readonly isStream: boolean
}

/** A head split into lines and fields, which are not interpreted yet. */
interface Head {
  readonly first: string
  readonly fields: ReadonlyArray<Field>
  readonly hasStrayLine: boolean
  /** Where the body begins. */
  readonly end: number
}

const readHead = (bytes: Buffer, isStream: boolean): Head | string => {
  let start = 0
  while (bytes[start] === 13 && bytes[start + 1] === 10) start += lineEnd.length
  let end = bytes.indexOf(headEnd, start)
  // A datagram may lack the empty line: the head then ends with it.
  if (end < 0 && !isStream && bytes.subarray(-lineEnd.length).equals(lineEnd)) end = bytes.length - lineEnd.length
  if (end < start) return "the head has no end"
  if (end - start > mostHeadBytes) return "the head is too long"
  const text = bytes.toString("latin1", start, end).replace(/\r\n[ \t]+/g, " ")
  const [first = "", ...lines] = text.split("\r\n")
  if (lines.length > mostFields) return "too many header fields"
  if (first.length > mostLineLength) return "the first line is too long"
  const fields: Array<Field> = []
  let hasStrayLine = false
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (token.test(name)) fields.push([compactNames.get(name) ?? name, line.slice(colon + 1).trim()])
    else hasStrayLine = true
  }
  return { first, fields, hasStrayLine, end: end + headEnd.length }
}

export const parseMessage = (bytes: Buffer, { isStream }: Framing): Message | Unreadable => {
  if (bytes.length > mostBytes) return drop("too long")
  const head = readHead(bytes, isStream)
  if (typeof head === "string") return drop(head)
  const { fields, first } = head
  const status = statusLine.exec(first)
  const request = requestLine.exec(first)
  if (status === null && /^SIP\//i.test(first)) return drop("no status line")
  const refuse = (why: string, code = 400) =>
    status !== null || first.startsWith("ACK ") ? drop(why) : refuseTo(fields, why, code)
  if (request !== null && request[3] !== "2.0") return refuse("another version of SIP", 505)
  if (head.hasStrayLine) return refuse("a line that is no header field")

  const common = readCommon(fields)
  if (typeof common === "string") return refuse(common)
  const body = readBody(bytes.subarray(head.end), fields, isStream)
  if (typeof body === "string") return refuse(body)
  if (status !== null) {
    const code = Number(status[1])
    if (code < 100 || code > 699) return drop("no such status")
    return { kind: "response", status: code, reason: status[2] ?? "", ...common, fields, body }
  }
  const [, method = "", uri = ""] = request ?? []
  if (request === null || !token.test(method)) return refuse("no request line")
  if (method !== common.method) return refuse("CSeq names another method")
  const isBroken = /^sips?:/i.test(uri) && parseUri(uri) === null
  if (!isUri(uri) || isBroken || hasHeaders(uri)) return refuse("no Request-URI")
  return { kind: "request", uri, ...common, fields, body }
}

/** Reads the fields that every message must have. Returns a text if one is wrong. */
const readCommon = (fields: ReadonlyArray<Field>) => {
  const values = new Map<string, string>()
  for (const [name, value] of fields) {
    if (!single.includes(name)) continue
    if (values.has(name)) return `two fields ${name}`
    values.set(name, value)
  }
  const [top, ...others] = readVias(fields)
  if (top === undefined || top === null || others.includes(null)) return "a Via that is none"
  if (others.length >= mostVias) return "too many Vias"
  const from: Address | null = parseAddress(values.get("from") ?? "")
  const to: Address | null = parseAddress(values.get("to") ?? "")
  if (from === null || to === null) return "no From or no To"
  const callId = values.get("call-id") ?? ""
  if (callId === "") return "no Call-ID"
  const [, number, method = ""] = sequence.exec(values.get("cseq") ?? "") ?? []
  const cseq = parseNumber(number, mostSequence)
  if (cseq === null || !token.test(method)) return "no CSeq"
  const hops = values.get("max-forwards")
  if (hops !== undefined && parseNumber(hops, 255) === null) return "no Max-Forwards"
  const vias: readonly [Via, ...Array<Via>] = [top, ...others.filter((via) => via !== null)]
  return { vias, from, to, callId, cseq, method }
}

const readVias = (fields: ReadonlyArray<Field>): ReadonlyArray<Via | null> =>
  fields.filter(([name]) => name === "via").flatMap(([, value]) => splitList(value).map(parseVia))

const readBody = (rest: Buffer, fields: ReadonlyArray<Field>, isStream: boolean): Buffer | string => {
  const stated = fields.find(([name]) => name === "content-length")?.[1]
  if (stated === undefined) return isStream ? "no Content-Length on a stream" : rest
  const length = parseNumber(stated, mostBytes)
  if (length === null) return "no Content-Length"
  return length > rest.length ? "shorter than its Content-Length" : rest.subarray(0, length)
}

const drop = (why: string): Unreadable => ({ kind: "unreadable", why, refusal: null })

/**
 * Refuses a request if the sender can receive and match the response, which takes a top `Via` and every echoed field.
 * Drops any other message.
 */
const refuseTo = (fields: ReadonlyArray<Field>, why: string, status: number): Unreadable => {
  const [top] = readVias(fields)
  const names = new Set(fields.map(([name]) => name))
  const isAnswerable = top !== undefined && top !== null && [...echoed].every((name) => names.has(name))
  if (!isAnswerable) return drop(why)
  return { kind: "unreadable", why, refusal: { status, fields: fields.filter(([name]) => echoed.has(name)) } }
}
