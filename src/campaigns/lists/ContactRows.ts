/**
 * Turns the rows of a contact list into lines for COPY, and into a report. Pure bookkeeping over rows: no I/O, no
 * clock.
 */
import type { DuplicatePolicy } from "../../domain/Campaign.ts"
import type { E164 } from "../../domain/E164.ts"
import { faultsShown, type ImportReport, type RowFault } from "../../domain/ImportReport.ts"
import { priorityFault, priorityFrom } from "../../domain/PriorityCell.ts"
import { contactIds } from "./ContactIds.ts"
import { consentCheck } from "./ConsentColumns.ts"
import type { CsvRecord } from "./CsvReader.ts"
import { namesOf, numberColumn, numberFaultOf, shapeFaultOf } from "./ListHeader.ts"
import type { ListRows } from "./ListReader.ts"
import { ListRefused } from "./ListRefused.ts"
import { numbersReader } from "./NumberColumns.ts"
import { normalise } from "./NumberFormat.ts"
import { dueAtOfNew } from "../dialling/Preferred.ts"
import { RowTally } from "./RowTally.ts"
import { SeenNumbers } from "./SeenNumbers.ts"

/** The form's rules about rows. */
export interface RowRules {
  readonly default_country: string | undefined
  readonly duplicate_policy: DuplicatePolicy
  /** The column with the priority of each row; undefined if the list has none. */
  readonly priority_column?: string | undefined
  /** The columns with further numbers of the same person. */
  readonly additional_number_columns?: ReadonlyArray<string> | undefined
}

/** Characters of a chunk: one write of this size costs less than many of a line each. */
const chunkSize = 32_768

/**
 * Neither the delimiter nor the quote can occur in a line, because JSON escapes both. PostgreSQL's own text format
 * would need every backslash doubled, which takes longer than everything else in a list with many of them.
 */
export const copyStatement = ({ additional_number_columns, priority_column }: RowRules): string =>
  `copy contacts (id, campaign_id, position, phone_number, custom_fields${priority_column === undefined ? "" : ", priority, due_at"}${additional_number_columns === undefined ? "" : ", additional_numbers"})
  from stdin with (format csv, delimiter E'\\t', quote E'\\x01')`

export class ContactRows implements ListRows<string> {
  /** The custom fields, in file order. */
  readonly columns: ReadonlyArray<string>
  private readonly names: ReadonlyArray<string>
  private readonly keys: ReadonlyArray<string>
  private readonly numberAt: number
  private readonly priorityAt: number | undefined
  private readonly consentFaultOf: ReturnType<typeof consentCheck>
  private readonly numbersOf: ReturnType<typeof numbersReader>
  private readonly campaignId: string
  private readonly rules: RowRules
  private readonly nextId = contactIds()
  private readonly seen = new SeenNumbers()
  private readonly tally = new RowTally()
  private readonly repeated: Array<string> = []
  private accepted = 0
  private duplicates = 0
  private chunk = ""

  constructor(campaignId: string, header: CsvRecord, rules: RowRules) {
    this.campaignId = campaignId
    this.rules = rules
    this.names = namesOf(header)
    this.numberAt = this.names.indexOf(numberColumn)
    this.columns = this.names.filter((name) => name !== numberColumn)
    this.consentFaultOf = consentCheck(this.names)
    this.priorityAt = priorityAt(this.names, rules.priority_column)
    this.numbersOf = numbersReader(this.names, rules.additional_number_columns, rules.default_country)
    this.keys = this.names.map((name) => JSON.stringify(name))
  }

  take(record: CsvRecord): void {
    const { cells, line } = record
    const { default_country, duplicate_policy } = this.rules
    this.tally.rows++
    const fault = shapeFaultOf(record, this.names)
    if (fault !== undefined) return this.tally.leaveOut({ line, ...fault })
    const written = cells[this.numberAt] ?? ""
    const number = normalise(written, default_country)
    if (number === undefined) return this.tally.leaveOut({ line, ...numberFaultOf(written, default_country) })
    const consentFault = this.consentFaultOf(cells)
    if (consentFault !== undefined) return this.tally.leaveOut({ line, ...consentFault })
    const priority = this.priorityOf(cells)
    if (typeof priority === "object") return this.tally.leaveOut({ line, ...priority })
    const others = this.numbersOf?.(cells, number)
    if (others !== undefined && "fault" in others) return this.tally.leaveOut({ line, ...others.fault })
    const before = this.seen.firstLineNumberOf(number)
    if (before === undefined) {
      this.seen.add(number, line)
    } else {
      this.duplicates++
      if (duplicate_policy === "reject" && this.repeated.length < faultsShown) {
        this.repeated.push(`line ${line}: ${number} is already on line ${before}`)
      }
      if (duplicate_policy !== "keep") return
    }
    this.accepted++
    this.chunk += `${this.nextId()}\t${this.campaignId}\t${this.accepted}\t${number}\t${this.fieldsOf(cells)}${priority}${others === undefined ? "" : `\t${arrayOf(others)}`}\n`
  }

  refuseIfHopeless(bytes: number): void {
    this.tally.refuseIfHopeless(bytes)
  }

  write(isOver: boolean): string | undefined {
    if (isOver) this.finish()
    if (this.chunk === "" || (this.chunk.length < chunkSize && !isOver)) return undefined
    const { chunk } = this
    this.chunk = ""
    return chunk
  }

  report(): ImportReport {
    const { errors, invalid, rows } = this.tally
    return { rows, accepted: this.accepted, duplicates: this.duplicates, invalid, errors }
  }

  private finish(): void {
    this.tally.finish()
    if (this.rules.duplicate_policy === "reject" && this.duplicates > 0) {
      throw new ListRefused({ detail: `has ${this.duplicates} rows with a repeated number`, rows: this.repeated })
    }
  }

  /** Returns what a line says of the priority, or the fault of its cell. Nothing if the list has no such column. */
  private priorityOf(cells: ReadonlyArray<string>): string | Omit<RowFault, "line"> {
    if (this.priorityAt === undefined) return ""
    const written = cells[this.priorityAt] ?? ""
    const priority = priorityFrom(written)
    if (priority !== undefined) return `\t${priority}\t${dueAtOfNew(priority)}`
    const column = this.names[this.priorityAt] ?? null
    return { column, code: "invalid_priority", detail: priorityFault(written) }
  }

  /** Writes the custom fields as JSON by hand, with keys that were quoted once. */
  private fieldsOf(cells: ReadonlyArray<string>): string {
    let fields = ""
    for (let at = 0; at < cells.length; at++) {
      if (at === this.numberAt) continue
      fields += `${fields === "" ? "" : ","}${this.keys[at]}:${JSON.stringify(cells[at])}`
    }
    return `{${fields}}`
  }
}

/** An array as COPY reads it; null for none. */
const arrayOf = (numbers: ReadonlyArray<E164>): string => (numbers.length === 0 ? "" : `{${numbers.join()}}`)

/** Where the column is that `priority_column` names. */
const priorityAt = (names: ReadonlyArray<string>, column: string | undefined): number | undefined => {
  if (column === undefined) return undefined
  const at = names.indexOf(column)
  if (at === -1) throw new ListRefused({ detail: `has no column named ${column}, which priority_column names` })
  return at
}
