/** Rows as the text of a CSV file that the user saves and may open in a spreadsheet. */
import { stringify } from "csv-stringify/browser/esm/sync"
import { guardFormulas } from "../../../src/domain/FormulaGuard.ts"

/** Phone numbers begin with `+`, as formulas may, but are harmless. */
const numberColumn = "phone_number"

/**
 * Guards cells against being read as formulas, as the server's exports do, except phone numbers. Null is an empty cell.
 */
export const toCsv = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<Readonly<Record<Column, string | number | null>>>,
): string =>
  stringify([...rows], {
    columns: [...columns],
    header: true,
    cast: { string: (cell, { column }) => (column === numberColumn ? cell : guardFormulas(cell)) },
  })
