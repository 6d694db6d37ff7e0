/**
 * Renders the Helm chart with Go's text/template and sprig from Debian (`test/ops/helm/render.go`): the engine and the
 * functions of Helm itself, which neither npm nor Debian has.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const libraries = "/usr/share/gocode"

/** Why the chart cannot be rendered on this machine. Undefined if it can. */
export const helmChartFault =
  spawnSync("go", ["list", "github.com/Masterminds/sprig"], {
    env: { ...process.env, GO111MODULE: "off", GOPATH: libraries },
  }).status === 0
    ? undefined
    : "Go or sprig is not installed"

/** A Kubernetes object, as far as tests look at it. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: any
}

export interface Rendered {
  readonly manifests: ReadonlyArray<Manifest>
  /** Why the chart was refused. Empty if it was not. */
  readonly fault: string
}

export interface Renderer {
  /** Renders a chart's folder with values over its own. */
  readonly chart: (folder: string, values?: object) => Rendered
  /** The chart's own values. */
  readonly valuesOf: (folder: string) => any
}

/** Compiles the renderer. */
export const makeRenderer = (): Renderer => {
  const folder = mkdtempSync(join(tmpdir(), "parley-helm-"))
  const program = join(folder, "render")
  execFileSync("go", ["build", "-o", program, "test/ops/helm/render.go"], {
    env: {
      ...process.env,
      GO111MODULE: "off",
      CGO_ENABLED: "0",
      GOPATH: libraries,
      GOCACHE: join(folder, "cache"),
      HOME: folder,
    },
  })
  return {
    chart: (chart, values = {}) => {
      const file = join(folder, "values.json")
      writeFileSync(file, JSON.stringify(values))
      const { status, stderr, stdout } = spawnSync(program, [chart, "prod", file], { encoding: "utf8" })
      if (status !== 0) return { manifests: [], fault: stderr }
      const lines = stdout.split("\n").filter((line) => line !== "")
      return { manifests: lines.map((line) => JSON.parse(line)), fault: "" }
    },
    valuesOf: (chart) => JSON.parse(execFileSync(program, [chart], { encoding: "utf8" })),
  }
}

/**
 * Checks objects against the types of the Kubernetes API, which `kubernetes-models` generates from its OpenAPI
 * document. Unlike the API's JSON Schemas, the types refuse a field that does not exist. Returns the compiler's errors.
 */
export const typeFaults = (manifests: ReadonlyArray<Manifest>): string => {
  // Beside node_modules, where the compiler finds the package.
  const caches = join(import.meta.dirname, "../../node_modules/.cache")
  mkdirSync(caches, { recursive: true })
  const folder = mkdtempSync(join(caches, "kubernetes-"))
  const text = manifests.map(
    (manifest, at) =>
      `import type { I${manifest.kind} as Kind${at} } from "kubernetes-models/${manifest.apiVersion}/${manifest.kind}"\n` +
      `export const object${at}: Kind${at} = ${JSON.stringify(manifest, null, 2)}\n`,
  )
  const file = join(folder, "manifests.ts")
  writeFileSync(file, text.join("\n"))
  const { stdout } = spawnSync(
    join(import.meta.dirname, "../../node_modules/.bin/tsc"),
    [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--types",
      "",
      "--module",
      "nodenext",
      "--target",
      "esnext",
      file,
    ],
    { encoding: "utf8" },
  )
  rmSync(folder, { recursive: true })
  return stdout
}
