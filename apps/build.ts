/** Builds the browser apps into dist/, and the server, unless there are builds of the same sources. */
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { buildServer } from "./server/build.ts"

// Without this setting Vite takes the slower development builds of libraries.
process.env["NODE_ENV"] = "production"

const root = join(import.meta.dirname, "..")
const stamp = ".stamp"

interface App {
  readonly name: string
  /** Paths whose contents decide whether the build is current: the app, the sources it shares, and the lock file. */
  readonly sources: ReadonlyArray<string>
  /** Vite configurations, built one after the other into one folder. */
  readonly configs: ReadonlyArray<string>
}

const apps: ReadonlyArray<App> = [
  {
    name: "console",
    sources: ["apps/console", "apps/widget/sound", "src/domain", "src/rpc/inputs", "package-lock.json"],
    configs: ["vite.config.ts"],
  },
  {
    name: "widget",
    sources: ["apps/widget", "package-lock.json"],
    configs: ["vite.config.ts", "sound/vite.config.ts"],
  },
]

const outputOf = ({ name }: App) => join(root, "dist", name)

const filesOf = (place: string): ReadonlyArray<string> => {
  const path = join(root, place)
  if (!existsSync(path)) return []
  if (place.endsWith(".json")) return [path]
  return readdirSync(path, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

/** Compares contents, not times: a checkout or a copy into an image stays current. */
const fingerprint = ({ sources }: App): string => {
  const hash = createHash("sha256")
  for (const file of sources.flatMap(filesOf)) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest("hex")
}

const isCurrent = (app: App, print: string): boolean => {
  const path = join(outputOf(app), stamp)
  return existsSync(path) && readFileSync(path, "utf8") === print
}

/** Compresses once here instead of at each request. Files smaller than a packet are left alone. */
const pack = (folder: string) => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|css|svg)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = readFileSync(path)
    if (bytes.length < 1400) continue
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
}

/** Two processes may build at once. The first result is kept, since a server may already be reading it. */
const replace = (app: App, folder: string, print: string) => {
  const old = `${folder}-old`
  // Move the old build away first: while it is deleted file by file, a starting server would read a part of it.
  try {
    if (!isCurrent(app, print)) renameSync(outputOf(app), old)
  } catch {
    // The folder does not exist, or another process has moved it.
  }
  try {
    renameSync(folder, outputOf(app))
  } catch (error) {
    if (!isCurrent(app, print)) throw error
    rmSync(folder, { recursive: true })
  }
  rmSync(old, { recursive: true, force: true })
}

const build = async (app: App, print: string) => {
  const began = performance.now()
  // Every build uses the production builds of libraries, even one that a test starts.
  process.env["NODE_ENV"] = "production"
  const { build: bundle } = await import("vite")
  // Build in a temporary folder, so that a server that starts meanwhile never finds half a build.
  mkdirSync(join(root, "dist"), { recursive: true })
  const folder = mkdtempSync(join(root, `dist/${app.name}-`))
  for (const config of app.configs) {
    await bundle({
      configFile: join(root, "apps", app.name, config),
      logLevel: "warn",
      build: { outDir: folder, emptyOutDir: false },
    })
  }
  pack(folder)
  writeFileSync(join(folder, stamp), print)
  // Only its owner can read a temporary folder, and the server may run as another user.
  chmodSync(folder, 0o755)
  replace(app, folder, print)
  console.log(`The ${app.name} is built, in ${((performance.now() - began) / 1000).toFixed(1)} s.`)
}

/** What to build. Without arguments everything, with `node apps/build.ts widget` only the named one. */
const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

// Without development dependencies (npm ci --omit=dev) nothing can be built: the existing files are served.
const canBuild = existsSync(join(root, "node_modules/vite"))

for (const app of apps.filter(({ name }) => isWanted(name))) {
  const print = fingerprint(app)
  if (isCurrent(app, print)) continue
  if (canBuild) await build(app, print)
  else console.log(`The ${app.name} is not built here: vite is not installed.`)
}
if (isWanted("server") && canBuild) await buildServer()
