/** SIP messages (RFC 3261 §7): their parts, the look-up of header fields, and how they are written. */
import { type Address, splitList, type Via } from "./Fields.ts"

/** Name in lower case and value, in the order in which they stand in the message. */
export type Field = readonly [name: string, value: string]

interface Common {
  readonly fields: ReadonlyArray<Field>
  /** The `Via` values, the top one first. There is at least one. */
  readonly vias: readonly [Via, ...Array<Via>]
  readonly from: Address
  readonly to: Address
  readonly callId: string
  readonly cseq: number
  /** The method in `CSeq`: of a response, the method of its request. */
  readonly method: string
  readonly body: Buffer
}

export interface Request extends Common {
  readonly kind: "request"
  readonly uri: string
}

export interface Response extends Common {
  readonly kind: "response"
  readonly status: number
  readonly reason: string
}

/** Bytes that are not a usable message. */
export interface Unreadable {
  readonly kind: "unreadable"
  /** The reason, for logs. It quotes nothing of the message. */
  readonly why: string
  /** The response to send, if the message is a request that is readable enough to be answered. */
  readonly refusal: { readonly status: number; readonly fields: ReadonlyArray<Field> } | null
}

export type Message = Request | Response

/** The value of the first field of this name. */
export const fieldOf = ({ fields }: Pick<Message, "fields">, name: string): string | undefined =>
  fields.find(([known]) => known === name)?.[1]

/** The values of all fields of this name, not split: a field with several values is one text. */
export const rawFieldsOf = ({ fields }: Pick<Message, "fields">, name: string): ReadonlyArray<string> =>
  fields.filter(([known]) => known === name).map(([, value]) => value)

/** All values of a field that may hold several. */
export const valuesOf = (message: Pick<Message, "fields">, name: string): ReadonlyArray<string> =>
  rawFieldsOf(message, name).flatMap(splitList)

/** Whether a list of option tags or methods has this one. */
export const hasOption = (message: Pick<Message, "fields">, name: string, option: string): boolean =>
  valuesOf(message, name).some((value) => value.toLowerCase() === option.toLowerCase())

const reasons = new Map<number, string>([
  [100, "Trying"],
  [180, "Ringing"],
  [183, "Session Progress"],
  [200, "OK"],
  [202, "Accepted"],
  [400, "Bad Request"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [406, "Not Acceptable"],
  [408, "Request Timeout"],
  [415, "Unsupported Media Type"],
  [416, "Unsupported URI Scheme"],
  [420, "Bad Extension"],
  [422, "Session Interval Too Small"],
  [480, "Temporarily Unavailable"],
  [481, "Call/Transaction Does Not Exist"],
  [482, "Loop Detected"],
  [486, "Busy Here"],
  [487, "Request Terminated"],
  [488, "Not Acceptable Here"],
  [491, "Request Pending"],
  [500, "Server Internal Error"],
  [501, "Not Implemented"],
  [503, "Service Unavailable"],
  [505, "Version Not Supported"],
  [513, "Message Too Large"],
  [603, "Decline"],
])

/** The reason phrase that goes with a status of ours. */
export const reasonOf = (status: number): string => reasons.get(status) ?? "Refused"

/** Field names that are not their words with capitals. */
const irregular = new Map([
  ["call-id", "Call-ID"],
  ["cseq", "CSeq"],
  ["www-authenticate", "WWW-Authenticate"],
  ["rseq", "RSeq"],
  ["rack", "RAck"],
  ["min-se", "Min-SE"],
])

const titleOf = (name: string): string =>
  irregular.get(name) ?? name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

/**
 * Removes line breaks. Our values may repeat a peer's or a tenant's text, and a line break in it would inject a header
 * field.
 */
const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, " ")

/**
 * Writes a message and adds `Content-Length`, which `fields` must not have. Headers are written as Latin-1, as they are
 * read, so that echoed bytes stay the same.
 */
const write = (first: string, fields: ReadonlyArray<Field>, body: Buffer): Buffer => {
  const lines = fields.map(([name, value]) => `${titleOf(name)}: ${oneLine(value)}`)
  const head = [oneLine(first), ...lines, `Content-Length: ${body.length}`, "", ""].join("\r\n")
  return Buffer.concat([Buffer.from(head, "latin1"), body])
}

const nothing: Buffer = Buffer.alloc(0)

export const writeRequest = (method: string, uri: string, fields: ReadonlyArray<Field>, body = nothing): Buffer =>
  write(`${method} ${uri} SIP/2.0`, fields, body)

export const writeResponse = (status: number, fields: ReadonlyArray<Field>, body = nothing): Buffer =>
  write(`SIP/2.0 ${status} ${reasonOf(status)}`, fields, body)
