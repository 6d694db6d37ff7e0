/** What a start loads (decision 0060). It is counted and not timed, so that a busy machine changes nothing. */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { inject } from "vitest"
import { currentBuild, type Manifest, manifestOf, type Program } from "../src/ServerBuild.ts"
import { command } from "./support/Command.ts"
import { loadedIn } from "./support/LoadedModules.ts"
import { emptyFolder, start } from "./support/Process.ts"

/** The libraries that every process loads, with those that they bring. */
const libraries = [
  ...["@effect/platform-node", "@effect/platform-node-shared", "@effect/sql-pg", "@fastify/busboy", "@lezer/common"],
  ...["@lezer/highlight", "@lezer/lr", "@lezer/python", "@stablelib/base64", "@trpc/server", "csv-stringify", "diff"],
  ...["effect", "fast-sha256", "ipaddr.js", "jose", "libphonenumber-js", "liquidjs", "pg", "pg-cloudflare"],
  ...["pg-connection-string", "pg-copy-streams", "pg-int8", "pg-pool", "pg-protocol", "pg-types", "pgpass"],
  ...["postgres-array", "postgres-bytea", "postgres-date", "postgres-interval", "re2js", "split2", "standardwebhooks"],
  ...["undici", "uuid", "ws", "xtend", "zod"],
]

const hook = join(import.meta.dirname, "support/LoadedModules.ts")
const root = join(import.meta.dirname, "..")

const freshDatabase = () => {
  const url = new URL(inject("postgres"))
  url.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return url.href
}

/** Starts Parley, waits until it is ready, and ends it. Returns its output. */
const startOnce = async (env: Record<string, string>): Promise<string> => {
  const parley = start({ DATABASE_URL: freshDatabase(), PARLEY_DATA_DIR: emptyFolder(), ...env })
  await parley.ready
  parley.child.kill("SIGTERM")
  assert.strictEqual(await parley.ended, 0)
  return parley.said()
}

const manifest = manifestOf("Launch")

const built = (program: Program = "Launch"): string => {
  const file = currentBuild(program)
  if (file === undefined) throw new Error(`${program} is not built from these sources`)
  return file
}

/** The files, besides those that only describe a package. */
const filesIn = (said: string) =>
  loadedIn(said)
    .map((url) => fileURLToPath(url))
    .filter((file) => !file.endsWith("/package.json"))

const watched = { NODE_OPTIONS: `--import ${hook}` }

describe("a start", () => {
  it("loads the build, and nothing beside it", async () => {
    const files = [join(root, "src/main.ts"), join(root, "src/ServerBuild.ts"), built()]
    assert.deepStrictEqual(filesIn(await startOnce(watched)), files)
  })

  it("of a command loads the command's build, and nothing beside it", async () => {
    const { code, err, out } = await command(watched, ["--version"])
    assert.strictEqual(code, 0)
    const files = [join(root, "src/parley.ts"), join(root, "src/ServerBuild.ts"), built("ParleyCommand")]
    assert.deepStrictEqual(filesIn(out + err), files)
  })

  it("evaluates no library besides those that every process needs", () => {
    const program = built()
    const { sources }: { sources: ReadonlyArray<string> } = JSON.parse(readFileSync(`${program}.map`, "utf8"))
    const found = sources
      .map((source) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(join(dirname(program), source))?.[1])
      .filter((library) => library !== undefined)
    assert.deepStrictEqual([...new Set(found)].toSorted(), libraries)
  })

  it("does not load what makes the OpenAPI document", () => {
    const { sources }: Manifest = JSON.parse(readFileSync(manifest, "utf8"))
    assert.deepStrictEqual(
      sources.filter((source) => /\/OpenApi/.test(source)),
      ["src/http/OpenApiText.ts"],
    )
  })

  it("needs no folder for compiled code", async () => {
    assert.include(await startOnce({ NODE_COMPILE_CACHE: "/dev/null/compiled" }), "Parley is ready at")
  })
})

describe("a build", () => {
  /** The current build of a copy of the sources, of which `change` is one. */
  const buildOfCopy = async (change: (copy: string) => void): Promise<string | undefined> => {
    const copy = emptyFolder()
    for (const path of ["src", "apps/server", "package-lock.json"])
      cpSync(join(root, path), join(copy, path), { recursive: true })
    const copied = join(copy, manifest.slice(root.length))
    mkdirSync(dirname(copied), { recursive: true })
    cpSync(manifest, copied)
    change(copy)
    const module = await import(pathToFileURL(join(copy, "src/ServerBuild.ts")).href)
    return module.currentBuild("Launch")?.slice(copy.length)
  }
  const append = (path: string) => (copy: string) => writeFileSync(join(copy, path), "\n", { flag: "a" })

  it("is run from any folder, after its sources were copied", async () => {
    assert.strictEqual(await buildOfCopy(() => {}), built().slice(root.length))
  })

  it.each(["src/domain/Call.ts", "apps/server/build.ts", "package-lock.json"])(
    "is not run after a change of %s",
    async (path) => {
      assert.strictEqual(await buildOfCopy(append(path)), undefined)
    },
  )
})
