/** Rows as the text of a CSV file that the user saves and may open in a spreadsheet. */
import { stringify } from "csv-stringify/browser/esm/sync"
import { guardFormulas } from "../../../src/domain/FormulaGuard.ts"

/** A phone number begins with `+`, as a formula does, and is harmless. */
const numberColumn = "phone_number"

/** Every cell but a phone number is guarded, as in the server's own exports. Null is an empty cell. */
export const toCsv = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<Readonly<Record<Column, string | number | null>>>,
): string =>
  stringify([...rows], {
    columns: [...columns],
    header: true,
    cast: { string: (cell, { column }) => (column === numberColumn ? cell : guardFormulas(cell)) },
  })
