/** The columns of a list of numbers, and whether a row fits them (decisions §2, CSV). */
import { beginningOf } from "../../domain/Beginning.ts"
import type { RowFault } from "../../domain/ImportReport.ts"
import type { CsvLimits, CsvRecord } from "./CsvReader.ts"
import { ListRefused } from "./ListRefused.ts"
import { isNational } from "./NumberFormat.ts"

export const numberColumn = "phone_number"
const maximumColumns = 200
const maximumColumnName = 200
/** The most characters of one cell: a list has names and dates, and every agent's template reads them all. */
const maximumCell = 10_000
export const rowLimits: CsvLimits = { cells: maximumColumns, cell: maximumCell }

/**
 * Returns the names of the columns, one of which is `phone_number`. Throws `ListRefused` if the header is not valid.
 */
export const namesOf = ({ cells, fault, line }: CsvRecord): ReadonlyArray<string> => {
  if (fault !== null) throw new ListRefused({ detail: `line ${line} ${fault}` })
  const names = cells.map((name) => name.trim())
  const refuse = (detail: string) => new ListRefused({ detail })
  if (names.length > maximumColumns) throw refuse(`has more than ${maximumColumns} columns. Remove some`)
  const empty = names.indexOf("")
  if (empty !== -1) throw refuse(`has no name for column ${empty + 1}. Name it in the header`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`has two columns named ${twice}. Rename one`)
  if (names.some((name) => name.length > maximumColumnName)) {
    throw refuse(`has a column name longer than ${maximumColumnName} characters`)
  }
  if (!names.includes(numberColumn)) throw refuse(withoutNumbers(names))
  return names
}

/** Returns why a row cannot be read, whatever its cells mean; undefined if it can. */
export const shapeFaultOf = (
  { cells, fault }: CsvRecord,
  names: ReadonlyArray<string>,
): Omit<RowFault, "line"> | undefined => {
  if (fault !== null) return { column: null, code: "invalid_quotes", detail: fault }
  const expected = names.length
  if (cells.length !== expected) {
    const code = cells.length < expected ? "too_few_cells" : "too_many_cells"
    const count = cells.length > maximumColumns ? `more than ${maximumColumns}` : cells.length
    return { column: null, code, detail: `has ${count} cells where the header has ${expected}` }
  }
  const long = cells.findIndex((cell) => cell.length > maximumCell)
  return long === -1
    ? undefined
    : { column: names[long] ?? null, code: "cell_too_long", detail: `is longer than ${maximumCell} characters` }
}

/** The fault of a cell that has no phone number, read with the default country if there is one. */
export const numberFaultOf = (written: string, default_country: string | undefined): Omit<RowFault, "line"> => ({
  column: numberColumn,
  code: "invalid_phone_number",
  detail: whyNoNumber(written, default_country),
})

/** Why a cell has no phone number, as a sentence for people. */
export const whyNoNumber = (written: string, default_country: string | undefined): string => {
  if (written.trim() === "") return "the phone number is empty"
  const shown = written.length > 40 ? `${beginningOf(written, 40)}…` : written
  return isNational(written) && default_country === undefined
    ? `${shown} has no country code. Choose a default country (default_country)`
    : `${shown} is not a possible phone number`
}

/** The refusal of a list without the column. Names the column that is probably meant. */
const withoutNumbers = (names: ReadonlyArray<string>): string => {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "")
  const meant =
    names.find((name) => plain(name) === "phonenumber") ?? names.find((name) => likelyNumbers.has(plain(name)))
  const found = names.length > columnsShown ? [...names.slice(0, columnsShown), "…"] : names
  const columns = `has no column named ${numberColumn}; it has ${found.join(", ")}`
  return meant === undefined
    ? `${columns}. The first line must be a header, and one of its columns ${numberColumn}`
    : `${columns}. Rename ${meant} to ${numberColumn}`
}
const columnsShown = 20
const likelyNumbers = new Set([
  "phone",
  "number",
  "telephone",
  "mobile",
  "cell",
  "cellphone",
  "tel",
  "phoneno",
  "msisdn",
])
