/**
 * The builds of the server and of the `parley` command: `src/` and its libraries in one file for each, which Node loads
 * in a third of the time and with 100 MB less memory than 1,800 modules (decision 0060). `apps/server/build.ts` makes
 * them.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/** Beside the modules it was made from: whatever installs them anew deletes it too. */
export const builds = join(root, "node_modules/.cache/server")

/** The programs that are built, by the names of their entry files in `src/`. */
export const programs = ["Launch", "ParleyCommand"] as const
export type Program = (typeof programs)[number]

export const manifestOf = (program: Program): string => join(builds, `${program}.json`)

export interface Manifest {
  /** Each file that decides what is in the build, by its path below the root: also the builder and `package-lock.json`. */
  readonly sources: ReadonlyArray<string>
  readonly fingerprint: string
}

/** Compares contents, not times: a checkout or a copy into an image stays current. */
export const fingerprintOf = (sources: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const source of sources) hash.update(`${source}\0`).update(readFileSync(join(root, source)))
  return hash.digest("hex").slice(0, 16)
}

/** The file of the program's newest build, if it was made from the sources as they are now. */
export const currentBuild = (program: Program): string | undefined => {
  try {
    const { fingerprint, sources }: Manifest = JSON.parse(readFileSync(manifestOf(program), "utf8"))
    return fingerprintOf(sources) === fingerprint ? join(builds, `${program}.mjs`) : undefined
  } catch {
    // It was never built, or one of its sources is gone.
    return undefined
  }
}
