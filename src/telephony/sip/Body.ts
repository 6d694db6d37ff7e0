/** Reads and writes the session description in a message. Carriers' gateways may send it as one part of several. */
import { fieldOf, type Message } from "./Message.ts"

const boundaryParam = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i
const isSdp = (type: string): boolean => /^\s*application\/sdp\s*(?:;|$)/i.test(type)

/** Null without a body; "unsupported" if the body has no session description that we can read. */
export const sdpOf = (message: Pick<Message, "fields" | "body">): string | null | "unsupported" => {
  if (message.body.length === 0) return null
  const encoding = fieldOf(message, "content-encoding") ?? "identity"
  const type = fieldOf(message, "content-type") ?? ""
  if (encoding.toLowerCase() !== "identity") return "unsupported"
  if (isSdp(type)) return message.body.toString("utf8")
  if (!/^\s*multipart\/\w+/i.test(type)) return "unsupported"
  const [, quoted, plain] = boundaryParam.exec(type) ?? []
  const boundary = quoted ?? plain
  return boundary === undefined ? "unsupported" : (sdpPartOf(message.body, boundary) ?? "unsupported")
}

const sdpPartOf = (body: Buffer, boundary: string): string | null => {
  for (const part of body.toString("utf8").split(`--${boundary}`).slice(1)) {
    const end = part.indexOf("\r\n\r\n")
    const head = end < 0 ? "" : part.slice(0, end)
    const type = head.split("\r\n").find((line) => /^content-type\s*:/i.test(line))
    if (type !== undefined && isSdp(type.slice(type.indexOf(":") + 1))) return part.slice(end + 4)
  }
  return null
}

/** The fields and the body of a message that carries this session description. */
export const withSdp = (sdp: string | null) =>
  sdp === null
    ? { fields: [], body: Buffer.alloc(0) }
    : { fields: [["content-type", "application/sdp"] as const], body: Buffer.from(sdp, "utf8") }
