/** Whatever stands in a cell of an export: other readers see the same rows, and no spreadsheet a formula. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import spectrum from "csv-spectrum"
import fc from "fast-check"
import { spawnSync } from "node:child_process"
import { promisify } from "node:util"
import { linesOf } from "../../src/campaigns/ResultsCsv.ts"

const formula = /^[=+\-@\t\r]/
type Row = readonly [string, ...Array<string>]

const guarded = (cell: string): string =>
  [...cell].map((character, at) => (begins(cell, at) && formula.test(character) ? `'${character}` : character)).join("")
const begins = (cell: string, at: number): boolean => at === 0 || "\r\n".includes(cell.charAt(at - 1))
const expectedOf = (rows: ReadonlyArray<Row>) => rows.map(([number, ...cells]) => [number, ...cells.map(guarded)])
const readByNode = (text: string): Array<Array<string>> => parse(text, { record_delimiter: "\r\n" })

const hasPython = spawnSync("python3", ["-c", "import csv"]).status === 0
/** Reads the texts with Python's csv module, strictly. */
const readByPython = (texts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> => {
  const program =
    "import csv,io,json,sys\nprint(json.dumps([list(csv.reader(io.StringIO(t,newline=''),strict=True)) for t in json.load(sys.stdin)]))"
  const { stderr, stdout } = spawnSync("python3", ["-c", program], { input: JSON.stringify(texts), encoding: "utf8" })
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout)
}

const part = fc.constantFrom(
  "=",
  "+",
  "-",
  "@",
  "\t",
  "\r",
  "\n",
  "\r\n",
  '"',
  ",",
  ";",
  "a",
  " ",
  "é",
  "1+cmd|' /C calc'!A0",
)
const cell = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""))
const table = fc.array(fc.tuple(fc.constant("+14155550132"), cell, cell, cell), { minLength: 1, maxLength: 6 })

describe("the rows of an export", () => {
  it("quotes a lone line feed and a lone carriage return, and guards what follows them", () => {
    const rows: ReadonlyArray<Row> = [["+14155550132", "hi\n=1+cmd", "a\rb", "\r\n@x", "=1", "plain"]]
    assert.strictEqual(linesOf(rows), '+14155550132,"hi\n\'=1+cmd","a\rb","\'\r\n\'@x",\'=1,plain\r\n')
  })

  it("are read back by another reader, and no line of a cell begins a formula", () => {
    fc.assert(
      fc.property(table, (rows) => {
        const read = readByNode(linesOf(rows))
        assert.deepStrictEqual(read, expectedOf(rows))
        for (const [, ...cells] of read) {
          for (const line of cells.flatMap((text) => text.split(/\r\n|[\r\n]/))) assert.notMatch(line, formula)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it.skipIf(!hasPython)("are read back by Python's reader", () => {
    const tables = fc.sample(table, 500)
    const read = readByPython(tables.map((rows) => linesOf(rows)))
    assert.deepStrictEqual(read, tables.map(expectedOf))
  })

  it("carry every case of csv-spectrum", async () => {
    for (const { json, name } of await promisify(spectrum)()) {
      const objects: unknown = JSON.parse(json.toString("utf8"))
      const rows = (Array.isArray(objects) ? objects : [objects]).map((object: Record<string, string>): Row => [
        "+14155550132",
        ...Object.values(object),
      ])
      assert.deepStrictEqual(readByNode(linesOf(rows)), expectedOf(rows), name)
    }
  })
})
