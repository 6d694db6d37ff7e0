/** A contact list as requests that add its rows to a campaign, and the report on every row as a file. */
import { priorityFault, priorityFrom } from "../../../../src/domain/PriorityCell.ts"
import { toCsv } from "../../data/CsvText.ts"
import type { ContactFile } from "../new-campaign/ContactFile.ts"

interface NewContact {
  readonly phone_number: string
  readonly external_id?: string
  readonly additional_numbers?: Array<string>
  readonly priority?: number
  readonly custom_fields: Record<string, string>
}

/** A row to send: its index in the file, and the contact. */
interface SentRow {
  readonly at: number
  readonly contact: NewContact
}

/** The most contacts in one request. */
const mostAtOnce = 1_000
/** A request has at most 10,000 JSON values. This is below it, with the values of the request itself. */
const mostValues = 9_000
/** The values of a contact beside one for each column: itself, its priority, its list of numbers and the object of its fields. */
const ownValues = 4

/** What became of a row. */
export interface Added {
  readonly result: string
  readonly contact_id: string | null
  readonly external_id: string | null
  readonly detail: string | null
}

/** What became of each row of the file, by its index. Undefined: the row was not sent. */
export type Results = ReadonlyArray<Added | undefined>

export interface AdditionPlan {
  /** In requests of a size that the server takes. */
  readonly requests: ReadonlyArray<ReadonlyArray<SentRow>>
  /** The rows whose priority is none, which are not sent. */
  readonly refused: Results
}

/** What columns of the file have, besides the number and the fields. */
export interface ColumnRoles {
  /** The column with the priorities, or empty. */
  readonly priority: string
  /** The columns with further numbers of the same person. */
  readonly numbers: ReadonlyArray<string>
}

export const planAdditions = ({ columns, rows }: ContactFile, { numbers, priority }: ColumnRoles): AdditionPlan => {
  const priorityAt = columns.indexOf(priority)
  const idAt = columns.indexOf("external_id")
  const refused: Array<Added | undefined> = rows.map((row) => {
    const cell = row[priorityAt] ?? ""
    if (priorityFrom(cell) !== undefined) return undefined
    return { result: "refused", contact_id: null, external_id: row[idAt] ?? null, detail: priorityFault(cell) }
  })
  const sent = rows.flatMap((row, at) =>
    refused[at] === undefined ? [{ at, contact: contactOf(columns, row, numbers, row[priorityAt]) }] : [],
  )
  const size = Math.max(1, Math.min(mostAtOnce, Math.floor(mostValues / (columns.length + numbers.length + ownValues))))
  const requests = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
    sent.slice(at * size, (at + 1) * size),
  )
  return { requests, refused }
}

/** A blank cell sends no priority, so that a contact which the campaign has keeps its own. */
const contactOf = (
  columns: ReadonlyArray<string>,
  row: ReadonlyArray<string>,
  numbers: ReadonlyArray<string>,
  priority = "",
): NewContact => {
  const cells = columns.map((column, at): readonly [string, string] => [column, (row[at] ?? "").trim()])
  const { external_id = "", phone_number = "", ...custom_fields } = Object.fromEntries(cells)
  const additional_numbers = numbers.flatMap((name) => custom_fields[name] || [])
  return {
    phone_number,
    ...(external_id !== "" && { external_id }),
    ...(numbers.length > 0 && { additional_numbers }),
    ...(priority.trim() !== "" && { priority: Number(priority) }),
    custom_fields,
  }
}

/** One line for each row of the file. Rows after a failed request have no result. */
export const reportOf = ({ columns, rowLines, rows }: ContactFile, added: Results): string => {
  const number = columns.indexOf("phone_number")
  return toCsv(
    ["line", "phone_number", "external_id", "result", "contact_id", "detail"],
    rows.map((row, at) => {
      const { contact_id = null, detail = null, external_id = null, result = "not_sent" } = added[at] ?? {}
      return { line: rowLines[at] ?? null, phone_number: row[number] ?? "", external_id, result, contact_id, detail }
    }),
  )
}
