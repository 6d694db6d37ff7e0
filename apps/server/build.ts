/** Builds the server and the `parley` command into one file each (src/ServerBuild.ts), unless they are current. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import type { Plugin } from "vite"
import {
  builds,
  currentBuild,
  fingerprintOf,
  type Manifest,
  manifestOf,
  type Program,
  programs,
} from "../../src/ServerBuild.ts"

const named = { Launch: "The server", ParleyCommand: "The command" } as const

const root = join(import.meta.dirname, "../..")
const src = join(root, "src/")

/** Libraries that a process loads only when it needs them, or that find their own files by their place. */
const outside = /^(?:ai|@ai-sdk\/.+|@aws-sdk\/.+|@hyperjump\/.+|onnxruntime-node|pyodide|libphonenumber-geo-carrier)$/

/** The program of the page of the API is 3 MB of text that a process reads only for the page. */
const pageProgram: Plugin = {
  name: "page-program",
  enforce: "pre",
  resolveId: (id) =>
    id === "./internal/httpApiScalar.js"
      ? { id: "../../effect/dist/http-api/internal/httpApiScalar.js", external: "absolute" }
      : undefined,
}

/** A source keeps its place: files lie beside it, and worker processes load it. */
const place: Plugin = {
  name: "place",
  enforce: "pre",
  transform: (code, id) => {
    if (!id.startsWith(src) || !/\bimport\.meta\.(?:url|dirname|filename)\b/.test(code)) return undefined
    const path = JSON.stringify(relative(builds, id))
    // On the line of the first comment, so that the lines of the source keep their numbers.
    const own = [
      'import { fileURLToPath as __pathOf } from "node:url"',
      `const __url = new URL(${path}, import.meta.url).href`,
      "const __filename = __pathOf(__url)",
      'const __dirname = __pathOf(new URL(".", __url))',
    ]
    const body = code.replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, "__$1")
    return { code: `${own.join(";")};${body}`, map: null }
  },
}

/** Bundles the program into the folder. Returns the files of `src/` that are in it. */
const bundle = async (program: Program, folder: string): Promise<ReadonlyArray<string>> => {
  const { build } = await import("vite")
  const modules = new Set<string>()
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    publicDir: false,
    plugins: [place, pageProgram, { name: "modules", moduleParsed: ({ id }) => void modules.add(id) }],
    ssr: { noExternal: true, resolve: { conditions: ["node"] } },
    build: {
      ssr: `src/${program}.ts`,
      outDir: folder,
      target: "node24",
      minify: false,
      // Node reads it only with --enable-source-maps.
      sourcemap: true,
      rolldownOptions: {
        external: outside,
        output: {
          // One file, so that a process needs nothing more of its build when the next one has replaced it.
          codeSplitting: false,
          entryFileNames: "[name].mjs",
          // Worker processes find work by the name of its function.
          keepNames: true,
          comments: false,
        },
      },
    },
  })
  return [...modules].filter((id) => id.startsWith(src)).map((id) => relative(root, id))
}

export const buildServer = async () => {
  for (const program of programs) if (currentBuild(program) === undefined) await buildProgram(program)
}

const buildProgram = async (program: Program) => {
  const began = performance.now()
  mkdirSync(builds, { recursive: true })
  // As deep as `builds`: the source map names the sources from here.
  const folder = mkdtempSync(`${builds}-`)
  const sources = ["apps/server/build.ts", "package-lock.json", ...(await bundle(program, folder)).toSorted()]
  const manifest: Manifest = { sources, fingerprint: fingerprintOf(sources) }
  const files = [`${program}.mjs.map`, `${program}.mjs`, basename(manifestOf(program))]
  writeFileSync(join(folder, basename(manifestOf(program))), JSON.stringify(manifest))
  // Each is replaced at once, and the manifest last: until then a starting process finds that no build is current.
  for (const file of files) renameSync(join(folder, file), join(builds, file))
  rmSync(folder, { recursive: true })
  console.log(`${named[program]} is built, in ${((performance.now() - began) / 1000).toFixed(1)} s.`)
}
