/** The files that the console writes: another reader sees the same rows, a spreadsheet no formula, and the wizard the list. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { toCsv } from "../../apps/console/data/CsvText.ts"
import { read, refusedRows } from "../../apps/console/pages/new-campaign/ContactFile.ts"
import { guardFormulas } from "../../src/domain/FormulaGuard.ts"
import { assertNoFormula, cell } from "../support/Cells.ts"

const number = "+14155550132"

describe("a CSV file of the console", () => {
  it("has the cells that it was given, none of which begins a formula but a phone number", () => {
    fc.assert(
      fc.property(cell, cell, (reason, note) => {
        const text = toCsv(
          ["phone_number", "reason", "note", "line"],
          [{ phone_number: number, reason, note, line: 3 }],
        )
        const [header, row = []]: Array<Array<string>> = parse(text, { record_delimiter: "\n" })
        assert.deepStrictEqual(header, ["phone_number", "reason", "note", "line"])
        const [phoneNumber, ...others] = row
        assert.strictEqual(phoneNumber, number)
        assertNoFormula(others)
        assert.deepStrictEqual(others, [guardFormulas(reason), guardFormulas(note), "3"])
      }),
      { numRuns: 2_000 },
    )
  })

  it("guards the rows that an import left out", async () => {
    const file = await read(new File(["phone_number\n@x"], "a.csv"))
    assert.deepStrictEqual(parse(refusedRows([{ line: 2, column: null, detail: "-" }], file)), [
      ["line", "column", "reason", "row"],
      ["2", "", "'-", "'@x"],
    ])
  })

  it("has each left-out row whole, also after blank lines and with line breaks in its cells", async () => {
    for (const lineBreak of ["\n", "\r\n"]) {
      const rows = ["phone_number,note", `${number},a`, "", '12,"in two', 'lines"', "", "34,b"]
      const file = await read(new File([rows.join(lineBreak)], "a.csv"))
      assert.deepStrictEqual(file.rowLines, [2, 4, 7])
      const errors = [4, 7].map((line) => ({ line, column: null, detail: "too short" }))
      const [, ...left]: Array<Array<string>> = parse(refusedRows(errors, file))
      assert.deepStrictEqual(
        left.map((cells) => cells[3]),
        ['12,"in two\nlines"', "34,b"],
      )
    }
  })
})
