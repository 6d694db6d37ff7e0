/** The reader of contact lists beside csv-spectrum's cases and another reader. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import spectrum from "csv-spectrum"
import fc from "fast-check"
import { promisify } from "node:util"
import { CsvReader, type Delimiter } from "../../src/campaigns/lists/CsvReader.ts"

const limits = { cells: 50, cell: 100 }

/** Blocks end where a line ends, as those of an upload do. */
const readAll = (text: string, delimiter: Delimiter = ",", blocks = text.match(/[^\n]*\n|[^\n]+$/g) ?? []) => {
  const reader = new CsvReader(delimiter, limits)
  const records = [...blocks.flatMap((block) => [...reader.read(block)]), ...reader.end()]
  return records.filter((record) => record !== null)
}

describe("the CSV reader", () => {
  it("reads every case of csv-spectrum as it should be read", async () => {
    const cases = await promisify(spectrum)()
    assert.isAbove(cases.length, 10)
    for (const { csv, json, name } of cases) {
      const records = readAll(csv.toString("utf8"))
      const [header = [], ...rows] = records.map(({ cells }) => cells)
      const objects = rows.map((row) => Object.fromEntries(header.map((column, at) => [column, row[at]])))
      const hasStrayQuote = name === "location_coordinates"
      // The package's own JSON for that case belongs to another file.
      if (!hasStrayQuote) assert.deepStrictEqual(objects, JSON.parse(json.toString("utf8")), name)
      assert.strictEqual(
        records.some(({ fault }) => fault !== null),
        hasStrayQuote,
        name,
      )
    }
  })

  it("reads what another reader reads, in whatever blocks it comes", () => {
    const part = fc.constantFrom('"', '""', ",", "\n", "\r\n", "a", "b c", "é", " ", '"x,\ny"', "\r")
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.boolean(), (parts, whole) => {
        // A carriage return at the very end is half of a line end here, and a character there.
        const text = parts.join("").replace(/\r+$/, "")
        let expected: Array<Array<string>>
        try {
          expected = parse(text, { record_delimiter: ["\r\n", "\n"], relax_column_count: true, skip_empty_lines: true })
        } catch {
          return
        }
        const records = readAll(text, ",", whole ? [text] : undefined)
        assert.deepStrictEqual(
          records.map(({ cells }) => cells),
          expected,
        )
        assert.isTrue(records.every(({ fault }) => fault === null))
      }),
      { numRuns: 5_000 },
    )
  })

  it("counts physical lines, and keeps a fault to its row", () => {
    const records = readAll('a,b\r\n"x\r\ny",1\n\n2"3,4\n5,"6" 7\n8,9')
    assert.deepStrictEqual(
      records.map(({ cells, fault, line }) => [line, cells.length, fault === null]),
      [
        [1, 2, true],
        [2, 2, true],
        [5, 2, false],
        [6, 2, false],
        [7, 2, true],
      ],
    )
  })

  it("keeps no more of a cell or a row than decides that it is too long", () => {
    const [cell, row, plain] = readAll(`"${"x".repeat(1_000)}"\n"",${",".repeat(1_000)}\n${",".repeat(1_000)}\n`)
    assert.strictEqual(cell?.cells[0]?.length, limits.cell + 1)
    assert.strictEqual(row?.cells.length, limits.cells + 1)
    assert.strictEqual(plain?.cells.length, limits.cells + 1)
  })

  it("gives its caller a moment in a file that has no records", () => {
    const reader = new CsvReader(",", limits)
    const given = [...reader.read("\n".repeat(100_000)), ...reader.read(`"${'""'.repeat(100_000)}`)]
    assert.isAtLeast(given.length, 150)
    assert.deepStrictEqual([...new Set(given)], [null])
  })
})
