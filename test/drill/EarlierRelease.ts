/** The previous release, checked out from the repository's history into a temporary folder. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * The commit of the release that runs beside this one during an upgrade. Each release moves it forward. Its schemas, of
 * an account and of the platform, are older than this release's: `Releases.test.ts` checks that.
 */
export const commit = "4371f7418623e42cec2a322b150634dd20131c8d"

const repository = join(import.meta.dirname, "../..")
const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", args, { cwd: repository, maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] })

/** The number of the previous release's newest migration. */
export const newestOf = (family: "platform" | "tenant"): number =>
  Math.max(
    ...git("ls-tree", "--name-only", `${commit}:migrations/${family}`)
      .toString()
      .split("\n")
      .map((file) => Number(/^(\d{4})_.*\.sql$/.exec(file)?.[1] ?? 0)),
  )

/** Checks the release out and returns its folder, which is deleted when this process ends. */
export const checkOut = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "parley-earlier-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", "--format=tar", commit) })
  if (hasPackagesOf(folder)) linkModules(folder)
  else execFileSync("npm", ["ci"], { cwd: folder, stdio: "ignore" })
  return folder
}

/** True if every package of the previous release is installed here in the same version. */
const hasPackagesOf = (folder: string): boolean => {
  const packagesOf = (of: string): Record<string, { readonly version?: string }> =>
    JSON.parse(readFileSync(join(of, "package-lock.json"), "utf8")).packages
  const here = packagesOf(repository)
  return Object.entries(packagesOf(folder)).every(([path, { version }]) => here[path]?.version === version)
}

/** Links each package separately: tools write caches into `node_modules`, which the two releases must not share. */
const linkModules = (folder: string) => {
  const [from, to] = [join(repository, "node_modules"), join(folder, "node_modules")]
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (!name.startsWith(".")) symlinkSync(join(from, name), join(to, name))
  }
  if (existsSync(join(from, ".bin")))
    cpSync(join(from, ".bin"), join(to, ".bin"), { recursive: true, verbatimSymlinks: true })
}
