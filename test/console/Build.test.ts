/** What a first visit loads stays small (issue: 300 KB of script; design: 40 KB of style, 80 KB of fonts). */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, buildWithin } from "./Tab.ts"

interface Chunk {
  readonly file: string
  readonly imports?: ReadonlyArray<string>
  readonly css?: ReadonlyArray<string>
  readonly assets?: ReadonlyArray<string>
}

const folder = "dist/console"
const overview = "pages/overview/OverviewPage.tsx"

const bytes = (file: string) => readFileSync(join(folder, file))
const gzipped = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + gzipSync(bytes(file)).length, 0)

describe("the first load of the overview", () => {
  let scripts: ReadonlySet<string>
  let styles: ReadonlySet<string>
  let fonts: ReadonlyArray<string>

  beforeAll(async () => {
    await build()
    const manifest: Record<string, Chunk> = JSON.parse(bytes(".vite/manifest.json").toString())
    const loaded = new Set<string>()
    const load = (name: string) => {
      if (loaded.has(name)) return
      loaded.add(name)
      for (const needed of manifest[name]?.imports ?? []) load(needed)
    }
    load("index.html")
    load(overview)
    assert.include([...loaded], overview)
    const chunks = [...loaded].flatMap((name) => manifest[name] ?? [])
    scripts = new Set(chunks.map(({ file }) => file))
    styles = new Set(chunks.flatMap(({ css = [] }) => css))
    fonts = Object.values(manifest).flatMap(({ file }) => (file.endsWith(".woff2") ? [file] : []))
  }, buildWithin)

  it("has at most 300 KB of script, gzipped", () => {
    const size = gzipped(scripts)
    console.log(`script ${Math.round(size / 1000)} KB, gzipped, in ${scripts.size} files`)
    assert.isAtMost(size, 300_000)
  })
  it("has at most 40 KB of style, gzipped", () => {
    assert.isAtMost(gzipped(styles), 40_000)
  })
  it("has at most 80 KB of fonts", () => {
    assert.isAtMost(
      fonts.reduce((sum, file) => sum + bytes(file).length, 0),
      80_000,
    )
  })
  it("asks for the text face together with the script", () => {
    assert.match(bytes("index.html").toString(), /<link rel="preload" as="font"[^>]*plex-sans/)
  })
})
