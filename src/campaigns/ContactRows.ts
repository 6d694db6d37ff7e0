/** The records of a CSV become lines for COPY, and a report. Pure bookkeeping over rows: no I/O, no clock. */
import type { DuplicatePolicy } from "../domain/Campaign.ts"
import { faultsShown, type ImportReport, type RowFault } from "../domain/ImportReport.ts"
import { contactIds } from "./ContactIds.ts"
import { ContactListRefused } from "./ContactListRefused.ts"
import type { CsvLimits, CsvRecord } from "./CsvReader.ts"
import { maximumBytes } from "./CsvText.ts"
import { isNational, normalise } from "./NumberFormat.ts"
import { SeenNumbers } from "./SeenNumbers.ts"

/**
 * The form's rules about rows. Fields may follow the file, so each is unknown until it, or the form's end, has arrived.
 */
export interface RowRules {
  readonly default_country: string | undefined
  readonly duplicate_policy: DuplicatePolicy
}

const numberColumn = "phone_number"
const maximumColumns = 200
const maximumColumnName = 200
/** Characters of one cell: a list has names and dates, and every agent's template reads them all. */
const maximumCell = 10_000
export const rowLimits: CsvLimits = { cells: maximumColumns, cell: maximumCell }
/** The bytes of the shortest row that can be valid: a national number of four digits and a line feed. */
const shortestRow = 5
/** The most valid rows that a list can have after its first `bytes` bytes. */
export const rowsBehind = (bytes: number): number => Math.max(0, maximumBytes - bytes) / shortestRow

/**
 * Neither the delimiter nor the quote can occur in a line, because JSON escapes both. PostgreSQL's own text format
 * would need every backslash doubled, which takes longer than everything else in a list with many of them.
 */
export const copyStatement = `copy contacts (id, campaign_id, position, phone_number, custom_fields)
  from stdin with (format csv, delimiter E'\\t', quote E'\\x01')`

export class ContactRows {
  /** The custom fields, in file order. */
  readonly columns: ReadonlyArray<string>
  private readonly names: ReadonlyArray<string>
  private readonly keys: ReadonlyArray<string>
  private readonly numberAt: number
  private readonly campaignId: string
  private readonly nextId = contactIds()
  private readonly seen = new SeenNumbers()
  private readonly faults: Array<RowFault> = []
  private readonly duplicates: Array<string> = []
  private counts = { rows: 0, accepted: 0, duplicates: 0, invalid: 0 }

  constructor(campaignId: string, header: CsvRecord) {
    if (header.fault !== null) throw new ContactListRefused({ detail: `line ${header.line} ${header.fault}` })
    this.campaignId = campaignId
    this.names = namesOf(header.cells)
    this.numberAt = this.names.indexOf(numberColumn)
    this.columns = this.names.filter((name) => name !== numberColumn)
    this.keys = this.names.map((name) => JSON.stringify(name))
  }

  /** Whether this row's result depends on a field of the form that has not arrived yet. */
  dependsOn(record: CsvRecord, rules: Partial<RowRules>): boolean {
    const text = record.cells[this.numberAt]
    if (text === undefined || this.shapeFault(record) !== undefined) return false
    if (isNational(text)) return !("default_country" in rules) && /[0-9]/.test(text)
    if (rules.duplicate_policy !== undefined) return false
    const number = normalise(text, undefined)
    return number !== undefined && this.seen.firstLineNumberOf(number) !== undefined
  }

  /** The row's line for COPY; empty for a row that is skipped. */
  take(record: CsvRecord, rules: RowRules): string {
    const { cells, line } = record
    this.counts.rows++
    const fault = this.shapeFault(record)
    if (fault !== undefined) return this.leaveOut({ line, ...fault })
    const written = cells[this.numberAt] ?? ""
    const number = normalise(written, rules.default_country)
    if (number === undefined) {
      return this.leaveOut({ line, column: numberColumn, code: "invalid_phone_number", detail: whyNot(written, rules) })
    }
    const before = this.seen.firstLineNumberOf(number)
    if (before === undefined) {
      this.seen.add(number, line)
    } else {
      this.counts.duplicates++
      if (rules.duplicate_policy === "reject" && this.duplicates.length < faultsShown) {
        this.duplicates.push(`line ${line}: ${number} is already on line ${before}`)
      }
      if (rules.duplicate_policy !== "keep") return ""
    }
    this.counts.accepted++
    return `${this.nextId()}\t${this.campaignId}\t${this.counts.accepted}\t${number}\t${this.fieldsOf(cells)}\n`
  }

  /** The report, or why the whole list is refused. */
  finish(rules: RowRules): ImportReport {
    const { duplicates, invalid, rows } = this.counts
    if (rows === 0) throw new ContactListRefused({ detail: "has a header but no rows" })
    if (invalid * 2 > rows) throw this.mostlyInvalid(`of ${rows}`)
    if (rules.duplicate_policy === "reject" && duplicates > 0) {
      throw new ContactListRefused({ detail: `has ${duplicates} rows with a repeated number`, rows: this.duplicates })
    }
    return { ...this.counts, errors: this.faults }
  }

  /** Refuses the list when its invalid rows stay the majority, even if all of `left` further rows were valid. */
  refuseIfHopeless(left: number): void {
    const { invalid, rows } = this.counts
    if (invalid > rows - invalid + left) throw this.mostlyInvalid(`among the first ${rows}`)
  }

  private mostlyInvalid(among: string): ContactListRefused {
    return new ContactListRefused({
      detail: `has ${this.counts.invalid} invalid rows ${among}. With more than half invalid, nothing is imported`,
      rows: this.faults.map((fault) => `line ${fault.line}: ${fault.detail}`),
    })
  }

  private shapeFault({ cells, fault }: CsvRecord): Omit<RowFault, "line"> | undefined {
    if (fault !== null) return { column: null, code: "invalid_quotes", detail: fault }
    const expected = this.names.length
    if (cells.length !== expected) {
      const code = cells.length < expected ? "too_few_cells" : "too_many_cells"
      const count = cells.length > maximumColumns ? `more than ${maximumColumns}` : cells.length
      return { column: null, code, detail: `has ${count} cells where the header has ${expected}` }
    }
    const long = cells.findIndex((cell) => cell.length > maximumCell)
    return long === -1
      ? undefined
      : { column: this.names[long] ?? null, code: "cell_too_long", detail: `is longer than ${maximumCell} characters` }
  }

  private leaveOut(fault: RowFault): "" {
    this.counts.invalid++
    if (this.faults.length < faultsShown) this.faults.push(fault)
    return ""
  }

  /** Writes JSON by hand, with keys that were quoted once. */
  private fieldsOf(cells: ReadonlyArray<string>): string {
    let fields = ""
    for (let at = 0; at < cells.length; at++) {
      if (at === this.numberAt) continue
      fields += `${fields === "" ? "" : ","}${this.keys[at]}:${JSON.stringify(cells[at])}`
    }
    return `{${fields}}`
  }
}

const namesOf = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = header.map((name) => name.trim())
  const refuse = (detail: string) => new ContactListRefused({ detail })
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

/** Names the column that is probably meant. */
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

const whyNot = (written: string, { default_country }: RowRules): string => {
  if (written.trim() === "") return "the phone number is empty"
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
  return isNational(written) && default_country === undefined
    ? `${shown} has no country code. Choose a default country (default_country)`
    : `${shown} is not a possible phone number`
}
