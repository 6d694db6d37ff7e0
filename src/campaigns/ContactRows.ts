/** The records of a CSV become lines for COPY, and a report. Pure bookkeeping over rows: no I/O, no clock. */
import type { DuplicatePolicy } from "../domain/Campaign.ts"
import { faultsShown, type ImportReport, type RowFault } from "../domain/ImportReport.ts"
import { contactIds, idLength } from "./ContactIds.ts"
import { ContactListRefused } from "./ContactListRefused.ts"
import { type CopyText, widestOf } from "./CopyText.ts"
import { type CsvRecord, textOf } from "./CsvRecords.ts"
import { isNational, normalise } from "./NumberFormat.ts"
import { SeenNumbers } from "./SeenNumbers.ts"

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

/** Of a line: ids, position, number and what stands between them; of a cell: quotes and what stands between cells. */
const roomOfLine = 160
const roomOfCell = 4

const openingBrace = 0x7b
const closingBrace = 0x7d
const comma = 0x2c
const tab = 0x09
const newline = 0x0a

export class ContactRows {
  /** The custom fields, in file order. */
  readonly columns: ReadonlyArray<string>
  private readonly names: ReadonlyArray<string>
  /** `"name":` of each column, as it stands in a line. */
  private readonly keys: ReadonlyArray<Buffer>
  private readonly roomOfKeys: number
  private readonly numberAt: number
  private readonly campaignId: string
  private readonly writeId = contactIds()
  private readonly seen = new SeenNumbers()
  private readonly faults: Array<RowFault> = []
  private readonly duplicates: Array<string> = []
  private counts = { rows: 0, accepted: 0, duplicates: 0, invalid: 0 }

  constructor(campaignId: string, header: CsvRecord) {
    this.campaignId = campaignId
    this.names = namesOf(header)
    this.numberAt = this.names.indexOf(numberColumn)
    this.columns = this.names.filter((name) => name !== numberColumn)
    this.keys = this.names.map((name) => Buffer.from(`${JSON.stringify(name).replaceAll("\\", "\\\\")}:`))
    this.roomOfKeys = this.keys.reduce((sum, key) => sum + key.length + roomOfCell, roomOfLine)
  }

  /** What the record's line takes at most. */
  roomFor({ count, places }: CsvRecord): number {
    if (count !== this.names.length) return 0
    return this.roomOfKeys + widestOf((places[3 * count - 2] ?? 0) - (places[0] ?? 0))
  }

  /**
   * Writes the row's line, unless the row is left out. False, and nothing done, when what becomes of it depends on a
   * field of the form that did not come yet.
   */
  take(record: CsvRecord, rules: Partial<RowRules>, copy: CopyText): boolean {
    const { line } = record
    const fault = this.shapeFault(record)
    if (fault !== undefined) return this.leaveOut({ line, ...fault })
    const written = textOf(record, this.numberAt)
    if (!("default_country" in rules) && isNational(written) && /[0-9]/.test(written)) return false
    const number = normalise(written, rules.default_country)
    if (number === undefined) {
      return this.leaveOut({ line, column: numberColumn, code: "invalid_phone_number", detail: whyNot(written, rules) })
    }
    const before = this.seen.lineOf(Number(number))
    if (before === undefined) {
      this.seen.keep(Number(number), line)
    } else {
      if (rules.duplicate_policy === undefined) return false
      this.counts.duplicates++
      if (rules.duplicate_policy === "reject" && this.duplicates.length < faultsShown) {
        this.duplicates.push(`line ${line}: ${number} stands on line ${before} already`)
      }
    }
    this.counts.rows++
    if (before === undefined || rules.duplicate_policy === "keep") this.write(record, number, copy)
    return true
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

  private shapeFault(record: CsvRecord): Omit<RowFault, "line"> | undefined {
    const { count, places } = record
    const expected = this.names.length
    if (count !== expected) {
      const code = count < expected ? "too_few_cells" : "too_many_cells"
      return { column: null, code, detail: `has ${count} cells where the header has ${expected}` }
    }
    for (let cell = 0; cell < count; cell++) {
      // As many bytes as characters at least, so most cells need not be counted.
      if ((places[3 * cell + 1] ?? 0) - (places[3 * cell] ?? 0) <= maximumCell) continue
      if (textOf(record, cell).length <= maximumCell) continue
      const detail = `is longer than ${maximumCell} characters`
      return { column: this.names[cell] ?? null, code: "cell_too_long", detail }
    }
    return undefined
  }

  private leaveOut(fault: RowFault): true {
    this.counts.rows++
    this.counts.invalid++
    if (this.faults.length < faultsShown) this.faults.push(fault)
    return true
  }

  private write({ bytes, count, places }: CsvRecord, number: string, copy: CopyText): void {
    this.counts.accepted++
    this.writeId(copy.bytes, copy.at)
    copy.at += idLength
    copy.byte(tab)
    copy.ascii(this.campaignId)
    copy.byte(tab)
    copy.natural(this.counts.accepted)
    copy.byte(tab)
    copy.ascii(number)
    copy.byte(tab)
    copy.byte(openingBrace)
    let isFirst = true
    for (let cell = 0; cell < count; cell++) {
      const key = this.keys[cell]
      if (cell === this.numberAt || key === undefined) continue
      if (!isFirst) copy.byte(comma)
      isFirst = false
      copy.copy(key)
      copy.json(bytes, places[3 * cell] ?? 0, places[3 * cell + 1] ?? 0, places[3 * cell + 2] === 1)
    }
    copy.byte(closingBrace)
    copy.byte(newline)
  }
}

const namesOf = (header: CsvRecord): ReadonlyArray<string> => {
  const refuse = (detail: string) => new ContactListRefused({ detail })
  if (header.count > maximumColumns) throw refuse(`has ${header.count} columns; ${maximumColumns} are the most`)
  const names = Array.from({ length: header.count }, (_, cell) => textOf(header, cell).trim())
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

const whyNot = (written: string, { default_country }: Partial<RowRules>): string => {
  if (written.trim() === "") return "the phone number is empty"
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
  return isNational(written) && default_country === undefined
    ? `${shown} has no country code, and the form has no default_country`
    : `${shown} is no possible phone number`
}
