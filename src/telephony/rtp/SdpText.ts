/**
 * Reads the parts of a session description (RFC 8866) that sound needs. Reading is lenient, since carriers differ in what
 * they write, and never throws.
 */

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive"

/** One `m=` section: a stream between two ports. */
export interface MediaSection {
  readonly kind: string
  /** 0 if the section was refused. */
  readonly port: number
  readonly protocol: string
  readonly formats: ReadonlyArray<string>
  /** The address of its own `c=` line, or of the session's; null if neither states one. */
  readonly address: string | null
  readonly direction: Direction
  /** The values of its own `a=` lines, in order. */
  readonly attributes: ReadonlyArray<string>
}

/** A text with more characters or more sections is refused, so that reading takes little time. */
const longest = 16_384
const mostSections = 16

const directionIn = (attributes: ReadonlyArray<string>): Direction | undefined =>
  attributes.find((one): one is Direction => /^(?:sendrecv|sendonly|recvonly|inactive)$/.test(one))

const addressIn = (lines: ReadonlyArray<string>): string | null => {
  const [, address = null] =
    lines.map((line) => /^c=IN IP[46] ([^\s/]+)/i.exec(line)).find((match) => match !== null) ?? []
  return address
}

const attributesIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => line.startsWith("a=")).map((line) => line.slice(2).trim())

const mediaLine = /^m=([\w-]{1,32}) (\d{1,5})(?:\/\d{1,5})? ([\w/-]{1,32})((?: [\w.+*-]{1,32}){1,64})$/

/** The sections of a session description in order; null if the text is not a session description. */
export const readSdp = (text: string): ReadonlyArray<MediaSection> | null => {
  if (text.length > longest) return null
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd())
  if (lines[0] !== "v=0") return null
  const starts = lines.flatMap((line, at) => (line.startsWith("m=") ? [at] : []))
  if (starts.length > mostSections) return null
  const session = lines.slice(0, starts[0])
  const sections: Array<MediaSection> = []
  for (const [index, start] of starts.entries()) {
    const [, kind = "", port = "", protocol = "", formats = ""] = mediaLine.exec(lines[start] ?? "") ?? []
    if (kind === "" || Number(port) > 65_535) return null
    const own = lines.slice(start + 1, starts[index + 1])
    const attributes = attributesIn(own)
    sections.push({
      kind,
      port: Number(port),
      protocol,
      formats: formats.trim().split(" "),
      address: addressIn(own) ?? addressIn(session),
      direction: directionIn(attributes) ?? directionIn(attributesIn(session)) ?? "sendrecv",
      attributes,
    })
  }
  return sections
}
