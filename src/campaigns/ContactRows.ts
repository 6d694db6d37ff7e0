/** The records of a CSV become lines for COPY, and a report. Pure bookkeeping over rows: no I/O, no clock. */
import type { DuplicatePolicy } from "../domain/Campaign.ts"
import { faultsShown, type ImportReport, type RowFault } from "../domain/ImportReport.ts"
import { contactIds } from "./ContactIds.ts"
import { ContactListRefused } from "./ContactListRefused.ts"
import { isNational, normalise } from "./NumberFormat.ts"

/** A record of the file and the physical line on which it begins. */
export interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** What the form says about rows. Fields may follow the file, so each is unknown until it, or the form's end, came. */
export interface RowRules {
  readonly default_country: string | undefined
  readonly duplicate_policy: DuplicatePolicy
}

const numberColumn = "phone_number"
const maximumColumns = 200
const maximumColumnName = 200
/** Of one cell; a list is names and dates, and every agent's template reads them all. */
const maximumCell = 10_000

export const copyStatement = "copy contacts (id, campaign_id, position, phone_number, custom_fields) from stdin"

export class ContactRows {
  /** The custom fields, in file order. */
  readonly columns: ReadonlyArray<string>
  private readonly names: ReadonlyArray<string>
  private readonly keys: ReadonlyArray<string>
  private readonly numberAt: number
  private readonly campaignId: string
  private readonly nextId = contactIds()
  /** Number → the line where it first stood. */
  private readonly seen = new Map<string, number>()
  private readonly faults: Array<RowFault> = []
  private readonly duplicates: Array<string> = []
  private counts = { rows: 0, accepted: 0, duplicates: 0, invalid: 0 }

  constructor(campaignId: string, header: ReadonlyArray<string>) {
    this.campaignId = campaignId
    this.names = namesOf(header)
    this.numberAt = this.names.indexOf(numberColumn)
    this.columns = this.names.filter((name) => name !== numberColumn)
    this.keys = this.names.map((name) => JSON.stringify(name))
  }

  /** Whether what becomes of this row depends on a field of the form that did not come yet. */
  dependsOn(record: CsvRecord, rules: Partial<RowRules>): boolean {
    const text = record.cells[this.numberAt]
    if (text === undefined || record.cells.length !== this.names.length) return false
    if (isNational(text)) return !("default_country" in rules) && /[0-9]/.test(text)
    if (rules.duplicate_policy !== undefined) return false
    const number = normalise(text, undefined)
    return number !== undefined && this.seen.has(number)
  }

  /** The row's line for COPY; empty for a row that is left out. */
  take({ cells, line }: CsvRecord, rules: RowRules): string {
    this.counts.rows++
    const fault = this.shapeFault(cells)
    if (fault !== undefined) return this.leaveOut({ line, ...fault })
    const written = cells[this.numberAt] ?? ""
    const number = normalise(written, rules.default_country)
    if (number === undefined) {
      return this.leaveOut({ line, column: numberColumn, code: "invalid_phone_number", detail: whyNot(written, rules) })
    }
    const before = this.seen.get(number)
    if (before === undefined) {
      this.seen.set(number, line)
    } else {
      this.counts.duplicates++
      if (rules.duplicate_policy === "reject" && this.duplicates.length < faultsShown) {
        this.duplicates.push(`line ${line}: ${number} stands on line ${before} already`)
      }
      if (rules.duplicate_policy !== "keep") return ""
    }
    this.counts.accepted++
    return `${this.nextId()}\t${this.campaignId}\t${this.counts.accepted}\t${number}\t${this.fieldsOf(cells)}\n`
  }

  /** The report, or why the whole list is refused. */
  finish(rules: RowRules): ImportReport {
    const { duplicates, invalid, rows } = this.counts
    if (rows === 0) throw new ContactListRefused({ detail: "has a header and no row" })
    if (invalid * 2 > rows) {
      throw new ContactListRefused({
        detail: `has ${invalid} invalid rows of ${rows}; more than half is taken for the wrong file`,
        rows: this.faults.map((fault) => `line ${fault.line}: ${fault.detail}`),
      })
    }
    if (rules.duplicate_policy === "reject" && duplicates > 0) {
      throw new ContactListRefused({ detail: `has ${duplicates} rows with a repeated number`, rows: this.duplicates })
    }
    return { ...this.counts, errors: this.faults }
  }

  private shapeFault(cells: ReadonlyArray<string>): Omit<RowFault, "line"> | undefined {
    const expected = this.names.length
    if (cells.length !== expected) {
      const code = cells.length < expected ? "too_few_cells" : "too_many_cells"
      return { column: null, code, detail: `has ${cells.length} cells where the header has ${expected}` }
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

  /** JSON by hand, with keys that were quoted once; a backslash is doubled, since COPY reads one as its own. */
  private fieldsOf(cells: ReadonlyArray<string>): string {
    let fields = ""
    for (let at = 0; at < cells.length; at++) {
      if (at === this.numberAt) continue
      fields += `${fields === "" ? "" : ","}${this.keys[at]}:${JSON.stringify(cells[at])}`
    }
    return `{${fields.includes("\\") ? fields.replaceAll("\\", "\\\\") : fields}}`
  }
}

const namesOf = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = header.map((name) => name.trim())
  const refuse = (detail: string) => new ContactListRefused({ detail })
  if (names.length > maximumColumns) throw refuse(`has ${names.length} columns; ${maximumColumns} are the most`)
  const empty = names.indexOf("")
  if (empty !== -1) throw refuse(`has a column without a name: the header's cell ${empty + 1}`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`has the column ${twice} twice`)
  if (names.some((name) => name.length > maximumColumnName)) {
    throw refuse(`has a column name longer than ${maximumColumnName} characters`)
  }
  if (!names.includes(numberColumn)) throw refuse(`needs a column named ${numberColumn}`)
  return names
}

const whyNot = (written: string, { default_country }: RowRules): string => {
  if (written.trim() === "") return "the phone number is empty"
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
  return isNational(written) && default_country === undefined
    ? `${shown} has no country code, and the form has no default_country`
    : `${shown} is no possible phone number`
}
