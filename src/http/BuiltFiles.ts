/** The files that apps/build.ts made for browsers: an app's files by path, each plain and in every encoding. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { codingFor } from "./edge/Compression.ts"

export interface BuiltFile {
  readonly contentType: string
  /** Its name has a hash of its content, so the file at this path never changes. */
  readonly isHashed: boolean
  readonly plain: Uint8Array
  /** The compressed forms. */
  readonly encoded: ReadonlyArray<{ readonly encoding: string; readonly bytes: Uint8Array }>
}

const folderOf = (app: "console" | "widget") => join(import.meta.dirname, "../../dist", app)

const contentTypes: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
}

/** The file extensions of the packed files. */
const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const

/**
 * The app's files by their path below its base; empty if the app was not built. They are read once: a server serves one
 * build.
 */
export const readBuilt = (app: "console" | "widget"): ReadonlyMap<string, BuiltFile> => {
  const folder = folderOf(app)
  if (!existsSync(folder)) return new Map()
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return new Map(
    paths.flatMap((path) => {
      const contentType = contentTypes[extname(path)]
      return contentType === undefined || path.startsWith(".")
        ? []
        : [[path, fileAt(folder, path, contentType)] as const]
    }),
  )
}

/** The file in the encoding that the client prefers; undefined if it accepts none. */
export const packedFor = ({ encoded }: BuiltFile, accepted: string) => {
  const coding = codingFor(accepted)
  return encoded.find(({ encoding }) => encoding === coding)
}

const fileAt = (folder: string, path: string, contentType: string): BuiltFile => ({
  contentType,
  isHashed: path.startsWith("assets/"),
  plain: readFileSync(join(folder, path)),
  encoded: encodings.flatMap(([encoding, suffix]) => {
    const packed = join(folder, path + suffix)
    return existsSync(packed) ? [{ encoding, bytes: readFileSync(packed) }] : []
  }),
})
