/** What README and docs promise is what is there: settings, rooms, scripts, error codes, links. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Cap } from "../src/domain/Cap.ts"
import { openApiDocument } from "../src/http/OpenApiDocument.ts"
import { type Document, undescribedProperties } from "./support/OpenApi.ts"

const read = (file: string) => readFileSync(file, "utf8")

const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(join(folder, file)))
    .join("\n")

const unique = (names: ReadonlyArray<string | undefined>) =>
  [...new Set(names.filter((name) => name !== undefined))].toSorted()

/** The first capture of every match. */
const captured = (text: string, pattern: RegExp) => unique([...text.matchAll(pattern)].map((match) => match[1]))

const readme = read("README.md")
const pages = readdirSync("docs")
  .filter((file) => file.endsWith(".md"))
  .map((file) => read(join("docs", file)))
  .join("\n")
const src = sources("src")

describe("the OpenAPI document", () => {
  it("describes every property", () => {
    assert.deepStrictEqual(undescribedProperties(openApiDocument() as unknown as Document), [])
  })
})

describe.each([
  ["docs/telephony.md", "In the log"],
  ["docs/runbook.md", "Log"],
])("%s", (page, header) => {
  it("explains log messages that the process writes", () => {
    const [, table = ""] = read(page).split(new RegExp(`^\\| ${header} .*\\n.*\\n`, "m"))
    const messages = captured(table.slice(0, table.indexOf("\n\n")), /^\| `([^`]+)`/gm)
    assert.isNotEmpty(messages)
    for (const message of messages) assert.include(src, `"${message}"`)
  })
})

describe("docs/settings.md", () => {
  it("lists every environment variable that is read, and no other", () => {
    const asked = captured(
      src,
      /\bConfig\.(?!withDefault|option|map|all)\w+\([^"]*?(?:\["[^\]]*\],\s*)?"([A-Z][A-Z0-9_]+)"/g,
    )
    assert.deepStrictEqual(captured(read("docs/settings.md"), /^\| `([A-Z][A-Z0-9_]+)` +\|/gm), asked)
  })
})

describe("README.md", () => {
  it("maps every room", () => {
    const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of rooms) assert.include(readme, `src/${name}/`)
  })
  it("has no command that .ci/run does not run", () => {
    const blocks = captured(readme, /^```sh ?(.*)$/gm)
    assert.notInclude(blocks, "", "a block of commands without a name")
    const run = captured(read(".ci/run"), /\breadme ([\w-]+)/g)
    assert.deepStrictEqual(
      blocks.filter((block) => !run.includes(block)),
      [],
    )
  })
  it("names only scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json"))
    const named = captured(readme + read("CONTRIBUTING.md") + pages, /\bnpm run ([a-z][\w:-]*)/g)
    assert.deepStrictEqual(
      named.filter((name) => !(name in scripts)),
      [],
    )
  })
})

describe("docs/operations.md", () => {
  const page = read("docs/operations.md")
  it("has no command that CI does not run", () => {
    const blocks = captured(page, /^```(?:sh|sql) ?(.*)$/gm)
    assert.notInclude(blocks, "", "a block of commands without a name")
    assert.notMatch(page.replaceAll(/^```[^]*?^```/gm, ""), /^ {4}\S/m, "commands outside a block")
    const run = captured(
      sources("test") + read(".ci/run"),
      /(?:ocumented(?:With)?\((?:\w+, )?|\brun\(|`sh )"?([a-z][a-z-]+)"/g,
    )
    assert.deepStrictEqual(
      blocks.filter((block) => !run.includes(block)),
      [],
    )
  })
  it("starts the process as npm start does", () => {
    const { scripts } = JSON.parse(read("package.json"))
    const [, command = "none"] = /\bexec (.*)$/.exec(scripts.start) ?? []
    assert.include(page, `ExecStart=/opt/parley/node_modules/.bin/${command}`)
  })
  it("names only settings that there are", () => {
    const [, settings = ""] = /^```ini settings\n([^]*?)^```/m.exec(page) ?? []
    const named = captured(settings, /^([A-Z_]+)=/gm)
    assert.isAbove(named.length, 5)
    for (const name of named) assert.match(read("docs/settings.md"), new RegExp(`^\\| \`${name}\` `, "m"))
  })
})

describe("a page lists every name, and no other", () => {
  /** The words of the first cells of the table that begins with this header. */
  const firstCells = (page: string, header: string) => {
    const [, table = ""] = read(page).split(new RegExp(`^\\| ${header} .*\\n.*\\n`, "m"))
    return captured(table.slice(0, table.indexOf("\n\n")), /^\| `([a-z-]+)/gm)
  }
  it("of a command of parley", () => {
    const [, commands = ""] = /withSubcommands\(\[(.*)\]/.exec(read("src/cli/Commands.ts")) ?? []
    const names = commands.split(", ").map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    assert.deepStrictEqual(firstCells("docs/operations.md", "Command"), unique(names))
  })
  it("of a bench", () => {
    const [, line = ""] = /npm run bench -- (http \|.*)/.exec(read("docs/benchmarks.md")) ?? []
    assert.deepStrictEqual(
      unique(line.split(" | ")),
      captured(read("test/bench/bench.ts"), /^ {2}"?([a-z-]+)"?: \(\) => import/gm),
    )
  })
  it("of a drill", () => {
    const [, drills = ""] = /const drills[^]*?= \{\n([^]*?)^\}/m.exec(read("test/drill/drill.ts")) ?? []
    assert.deepStrictEqual(firstCells("docs/drills.md", "`--only`"), captured(drills, /^ {2}"?([a-z-]+)"?:/gm))
  })
})

describe("docs/errors.md", () => {
  /** Stands in the contract for the code of the cap that was reached. */
  const anyCap = "cost_cap"

  it("lists every problem code that HTTP and the router can answer, and no other", () => {
    const http = sources("src/http")
    const router = sources("src/rpc")
    const codes = [
      ...[...captured(http, /\bcode: "(\w+)"/g), ...captured(http, /\bproblem\(\d+, "(\w+)"/g)],
      ...[...captured(router, /\bcode: "(\w+)",\s+request_id/g), ...captured(router, /\bproblemOf\(\s*"(\w+)"/g)],
    ]
    const answered = unique([...codes.filter((code) => code !== anyCap), ...Cap.literals])
    assert.deepStrictEqual(captured(read("docs/errors.md"), /^\| \d{3} +\| `(\w+)`/gm), answered)
  })
  it("gives each refusal the status that it has", () => {
    const listed = new Map([...read("docs/errors.md").matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(([, s, c]) => [c, s]))
    for (const [, status, code] of src.matchAll(/\bstatus: (\d{3}), code: "(\w+)"/g)) {
      if (code !== anyCap) assert.strictEqual(listed.get(code), status, code)
    }
  })
})

describe("documents", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    ...["docs", "examples", "src"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".md"))
        .map((file) => join(folder, file)),
    ),
  ]
  it.each(documents)("%s links to what is there", (document) => {
    const targets = captured(read(document), /\]\((?!https?:)([^)#]+)/g)
    assert.deepStrictEqual(
      targets.filter((target) => !existsSync(join(dirname(document), target))),
      [],
    )
  })
  /** The links to a page's headings, as GitHub names them. */
  const anchorsOf = (page: string): ReadonlyArray<string> =>
    captured(read(page).replace(/^```[^]*?^```/gm, ""), /^#+ (.*)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    )
  it.each(documents)("%s links to headings that are there", (document) => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    const broken = links.filter(([, path = "", anchor = ""]) => {
      const page = path === "" ? document : join(dirname(document), path)
      return page.endsWith(".md") && !anchorsOf(page).includes(anchor)
    })
    assert.deepStrictEqual(
      broken.map(([link]) => link),
      [],
    )
  })
  it("decisions are numbered without a gap", () => {
    const numbers = readdirSync("docs/decisions")
      .toSorted()
      .map((file) => Number(file.slice(0, 4)))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    )
  })
})
