/** Whatever stands in a cell of an export: other readers see the same rows, and no spreadsheet a formula. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import spectrum from "csv-spectrum"
import fc from "fast-check"
import { promisify } from "node:util"
import { linesOf } from "../../src/campaigns/lists/CsvRows.ts"
import { assertNoFormula, cell, formula } from "../support/Cells.ts"
import { readByPython } from "../support/PythonCsv.ts"

type Row = readonly [string, ...Array<string>]

const guarded = (cell: string): string =>
  [...cell].map((character, at) => (begins(cell, at) && formula.test(character) ? `'${character}` : character)).join("")
const begins = (cell: string, at: number): boolean => at === 0 || "\r\n".includes(cell.charAt(at - 1))
const expectedOf = (rows: ReadonlyArray<Row>) => rows.map(([number, ...cells]) => [number, ...cells.map(guarded)])
const readByNode = (text: string): Array<Array<string>> => parse(text, { record_delimiter: "\r\n" })

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
        for (const [, ...cells] of read) assertNoFormula(cells)
      }),
      { numRuns: 2_000 },
    )
  })

  it("are read back by Python's reader", async () => {
    const tables = fc.sample(table, 500)
    const read = await readByPython(tables.map((rows) => linesOf(rows)))
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
