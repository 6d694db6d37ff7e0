/** Finds and cuts the code that the `guard:` comments of the source mark (docs/promises.md, Guards in the source). */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Marker {
  /** The text of the comment. */
  readonly name: string
  /** The promises in its parentheses. */
  readonly promises: string
  readonly file: string
  /** The first and the last marked line, from 0, including the comment's own lines. */
  readonly first: number
  readonly last: number
}

const folders = ["src", "migrations"]
const opening = /^(.*)(?:\/\/|--) guard: (.*) \(([^()]+)\)$/
const closing = /^\s*(?:\/\/|--) end of guard$/
const anyMention = /(?:\/\/|--) (?:guard:|end of guard)/

/** Finds the markers of a file. Throws if a comment that begins like a marker does not have the form. */
export const markersIn = (file: string, text: string): ReadonlyArray<Marker> => {
  const lines = text.split("\n")
  const markers: Array<Marker> = []
  for (let first = 0; first < lines.length; first++) {
    const line = lines[first] ?? ""
    if (!anyMention.test(line)) continue
    const [, code, name, promises] = opening.exec(line) ?? []
    if (code === undefined || name === undefined || promises === undefined) {
      throw new Error(`${file}:${first + 1}: write "guard: one sentence (I1)", and "end of guard" below its lines`)
    }
    const next = lines.findIndex((later, at) => at > first && anyMention.test(later))
    if (code.trim() === "" && !closing.test(lines[next] ?? "")) {
      throw new Error(`${file}:${first + 1}: the guard's lines need "end of guard" below them`)
    }
    const last = code.trim() === "" ? next : first
    markers.push({ name, promises, file, first, last })
    first = last
  }
  return markers
}

/** Every marker of a copy of the tree. */
export const readMarkers = (root: string): ReadonlyArray<Marker> =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|sql)$/.test(file))
      .map((file) => join(folder, file))
      .toSorted()
      .flatMap((file) => markersIn(file, readFileSync(join(root, file), "utf8"))),
  )

/** The text without the lines that the marker marks. */
export const cut = (text: string, { first, last }: Marker): string =>
  text
    .split("\n")
    .toSpliced(first, last - first + 1)
    .join("\n")
