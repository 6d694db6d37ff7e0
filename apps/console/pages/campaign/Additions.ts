/** A contact list as requests that add its rows to a campaign, and the report on every row as a file. */
import { toCsv } from "../../data/CsvText.ts"
import type { ContactFile } from "../new-campaign/ContactFile.ts"

interface NewContact {
  readonly phone_number: string
  readonly external_id?: string
  readonly additional_numbers?: Array<string>
  readonly custom_fields: Record<string, string>
}

/** The most contacts in one request. */
const mostAtOnce = 1_000
/** A request has at most 10,000 JSON values. This is below it, with the values of the request itself. */
const mostValues = 9_000

/**
 * The rows of the file, in requests of a size that the server takes. The cells of the columns in `numbers` are further
 * numbers of the same person.
 */
export const requestsOf = (
  { columns, rows }: ContactFile,
  numbers: ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<NewContact>> => {
  const contacts = rows.map((row) => contactOf(columns, row, numbers))
  const size = Math.max(1, Math.min(mostAtOnce, Math.floor(mostValues / (columns.length + numbers.length + 3))))
  return Array.from({ length: Math.ceil(contacts.length / size) }, (_, at) =>
    contacts.slice(at * size, (at + 1) * size),
  )
}

const contactOf = (
  columns: ReadonlyArray<string>,
  row: ReadonlyArray<string>,
  numbers: ReadonlyArray<string>,
): NewContact => {
  const cells = columns.map((column, at): readonly [string, string] => [column, (row[at] ?? "").trim()])
  const { external_id = "", phone_number = "", ...custom_fields } = Object.fromEntries(cells)
  const additional_numbers = numbers.flatMap((name) => custom_fields[name] || [])
  return {
    phone_number,
    ...(external_id !== "" && { external_id }),
    ...(numbers.length > 0 && { additional_numbers }),
    custom_fields,
  }
}

/** What became of a row. */
export interface Added {
  readonly result: string
  readonly contact_id: string | null
  readonly external_id: string | null
  readonly detail: string | null
}

/** One line for each row of the file. Rows after a failed request have no result. */
export const reportOf = ({ columns, rowLines, rows }: ContactFile, added: ReadonlyArray<Added>): string => {
  const number = columns.indexOf("phone_number")
  return toCsv(
    ["line", "phone_number", "external_id", "result", "contact_id", "detail"],
    rows.map((row, at) => {
      const { contact_id = null, detail = null, external_id = null, result = "not_sent" } = added[at] ?? {}
      return { line: rowLines[at] ?? null, phone_number: row[number] ?? "", external_id, result, contact_id, detail }
    }),
  )
}
