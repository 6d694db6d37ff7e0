/**
 * Turns the rows of a contact list into lines for COPY, and into a report. Pure bookkeeping over rows: no I/O, no
 * clock.
 */
import type { DuplicatePolicy } from "../domain/Campaign.ts"
import { faultsShown, type ImportReport } from "../domain/ImportReport.ts"
import { contactIds } from "./ContactIds.ts"
import { consentCheck } from "./ConsentColumns.ts"
import type { CsvRecord } from "./CsvReader.ts"
import { namesOf, numberColumn, numberFaultOf, shapeFaultOf } from "./ListHeader.ts"
import type { ListRows } from "./ListReader.ts"
import { ListRefused } from "./ListRefused.ts"
import { normalise } from "./NumberFormat.ts"
import { RowTally } from "./RowTally.ts"
import { SeenNumbers } from "./SeenNumbers.ts"

/** The form's rules about rows. */
export interface RowRules {
  readonly default_country: string | undefined
  readonly duplicate_policy: DuplicatePolicy
}

/** Characters of a chunk: one write of this size costs less than many of a line each. */
const chunkSize = 32_768

/**
 * Neither the delimiter nor the quote can occur in a line, because JSON escapes both. PostgreSQL's own text format
 * would need every backslash doubled, which takes longer than everything else in a list with many of them.
 */
export const copyStatement = `copy contacts (id, campaign_id, position, phone_number, custom_fields)
  from stdin with (format csv, delimiter E'\\t', quote E'\\x01')`

export class ContactRows implements ListRows<string> {
  /** The custom fields, in file order. */
  readonly columns: ReadonlyArray<string>
  private readonly names: ReadonlyArray<string>
  private readonly keys: ReadonlyArray<string>
  private readonly numberAt: number
  private readonly consentFaultOf: ReturnType<typeof consentCheck>
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
    this.chunk += `${this.nextId()}\t${this.campaignId}\t${this.accepted}\t${number}\t${this.fieldsOf(cells)}\n`
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
