/** Turns the rows of an uploaded do-not-call list into entries, and counts them. Pure bookkeeping: no I/O, no clock. */
import { Schema } from "effect"
import type { E164 } from "../../domain/E164.ts"
import type { RowFault } from "../../domain/ImportReport.ts"
import { Subject } from "../../domain/Subject.ts"
import { Suppression } from "../../domain/Suppression.ts"
import { momentOf, TimestampInput } from "../../domain/Timestamp.ts"
import type { CsvRecord } from "./CsvReader.ts"
import { namesOf, numberColumn, numberFaultOf, shapeFaultOf } from "./ListHeader.ts"
import type { ListRows } from "./ListReader.ts"
import { normalise } from "./NumberFormat.ts"
import { RowTally } from "./RowTally.ts"

/** Defaults for rows that say nothing else. */
export interface SuppressionRules {
  readonly default_country: string | undefined
  readonly reason: string | null
  readonly subject: string | null
}

export interface SuppressionEntry {
  readonly phone_number: E164
  readonly reason: string | null
  readonly expires_at: Date | null
  /** Null forbids all calls. */
  readonly subject: string | null
}

const entriesAWrite = 5_000
/** Characters of reasons from which a write no longer waits for more entries. */
const charactersAWrite = 262_144
/** The columns of a list without a header. A row may lack the second one, and further ones are ignored. */
const usualColumns = [numberColumn, "reason"]

/**
 * The column with the subject of a row's entry. Lists from elsewhere may have a `subject` of another meaning, which must
 * not turn an entry for all calls into one for a few.
 */
export const subjectColumn = "campaign_subject"

const isSubject = Schema.is(Subject)
const isReason = Schema.is(Suppression.fields.reason)
const isTimestamp = Schema.is(TimestampInput)

export class SuppressionRows implements ListRows<ReadonlyArray<SuppressionEntry>> {
  readonly tally = new RowTally()
  readonly #rules: SuppressionRules
  readonly #hasHeader: boolean
  readonly #names: ReadonlyArray<string>
  #entries: Array<SuppressionEntry> = []
  #characters = 0

  /** A list whose first row begins with a number has no header. Columns with other names are ignored. */
  constructor(first: CsvRecord, rules: SuppressionRules) {
    this.#rules = rules
    this.#hasHeader = normalise(first.cells[0] ?? "", rules.default_country) === undefined
    this.#names = this.#hasHeader ? namesOf(first) : usualColumns
    if (!this.#hasHeader) this.take(first)
  }

  take(record: CsvRecord): void {
    this.tally.rows++
    const entry = this.#entryOf(record)
    if ("code" in entry) return this.tally.leaveOut({ line: record.line, ...entry })
    this.#entries.push(entry)
    this.#characters += entry.reason?.length ?? 0
  }

  refuseIfHopeless(bytes: number): void {
    this.tally.refuseIfHopeless(bytes)
  }

  write(isOver: boolean): ReadonlyArray<SuppressionEntry> | undefined {
    if (isOver) this.tally.finish()
    const isEnough = this.#entries.length >= entriesAWrite || this.#characters >= charactersAWrite
    if (this.#entries.length === 0 || !(isEnough || isOver)) return undefined
    const entries = this.#entries
    this.#entries = []
    this.#characters = 0
    return entries
  }

  #entryOf(record: CsvRecord): SuppressionEntry | Omit<RowFault, "line"> {
    const cells = this.#hasHeader ? record.cells : [record.cells[0] ?? "", record.cells[1] ?? ""]
    const fault = shapeFaultOf({ ...record, cells }, this.#names)
    if (fault !== undefined) return fault
    const cellOf = (name: string) => cells[this.#names.indexOf(name)]?.trim() ?? ""
    const written = cellOf(numberColumn)
    const phone_number = normalise(written, this.#rules.default_country)
    if (phone_number === undefined) return numberFaultOf(written, this.#rules.default_country)
    const reason = cellOf("reason") || this.#rules.reason
    if (!isReason(reason)) return { column: "reason", code: "cell_too_long", detail: "is longer than 1000 characters" }
    const expiry = cellOf("expires_at")
    if (expiry !== "" && !isTimestamp(expiry)) {
      const detail = "must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z, or empty"
      return { column: "expires_at", code: "invalid_timestamp", detail }
    }
    const subject = cellOf(subjectColumn) || this.#rules.subject
    if (subject !== null && !isSubject(subject)) {
      const detail = "must have at most 200 characters, and visible ones"
      return { column: subjectColumn, code: "invalid_subject", detail }
    }
    return { phone_number, reason, expires_at: momentOf(expiry === "" ? null : expiry), subject }
  }
}
