/** The columns of a contact list with further numbers of the same person (decision 0087). */
import { withoutRepeats } from "../../domain/AdditionalNumbers.ts"
import type { E164 } from "../../domain/E164.ts"
import type { RowFault } from "../../domain/ImportReport.ts"
import { whyNoNumber } from "./ListHeader.ts"
import { ListRefused } from "./ListRefused.ts"
import { normalise } from "./NumberFormat.ts"

/** Returns the numbers of a row, or why one of them is none. */
export type NumbersOf = (
  cells: ReadonlyArray<string>,
  first: E164,
) => ReadonlyArray<E164> | { readonly fault: Omit<RowFault, "line"> }

/** The reader of the rows under this header; undefined if no columns are named. Throws `ListRefused` if one is missing. */
export const numbersReader = (
  names: ReadonlyArray<string>,
  columns: ReadonlyArray<string> | undefined,
  country: string | undefined,
): NumbersOf | undefined => {
  if (columns === undefined || columns.length === 0) return undefined
  const missing = columns.find((column) => !names.includes(column))
  if (missing !== undefined) {
    throw new ListRefused({ detail: `has no column named ${missing}, which additional_number_columns names` })
  }
  const places = columns.map((column) => names.indexOf(column))
  return (cells, first) => {
    const numbers: Array<E164> = []
    for (const at of places) {
      const written = cells[at] ?? ""
      if (written.trim() === "") continue
      const number = normalise(written, country)
      if (number === undefined) {
        const detail = whyNoNumber(written, country)
        return { fault: { column: names[at] ?? null, code: "invalid_additional_number", detail } }
      }
      numbers.push(number)
    }
    return withoutRepeats(first, numbers)
  }
}
