/**
 * Counts the rows of a list, keeps the first faults, and refuses a list in which more than half of the rows are
 * invalid.
 */
import { faultsShown, type RowFault } from "../../domain/ImportReport.ts"
import { ListRefused } from "./ListRefused.ts"

/** The bytes of the shortest row that can be valid: a national number of four digits and a line feed. */
const shortestRow = 5

export class RowTally {
  rows = 0
  invalid = 0
  readonly errors: Array<RowFault> = []

  leaveOut(fault: RowFault): void {
    this.invalid++
    if (this.errors.length < faultsShown) this.errors.push(fault)
  }

  /** Refuses the list if its invalid rows stay the majority, even if all rows in the next `bytes` were valid. */
  refuseIfHopeless(bytes: number): void {
    if (this.invalid > this.rows - this.invalid + Math.max(0, bytes) / shortestRow) {
      throw this.#mostlyInvalid(`among the first ${this.rows}`)
    }
  }

  /** Judges the whole list, at its end. */
  finish(): void {
    if (this.rows === 0) throw new ListRefused({ detail: "has a header but no rows" })
    if (this.invalid * 2 > this.rows) throw this.#mostlyInvalid(`of ${this.rows}`)
  }

  #mostlyInvalid(among: string): ListRefused {
    return new ListRefused({
      detail: `has ${this.invalid} invalid rows ${among}. With more than half invalid, nothing is imported`,
      rows: this.errors.map(({ detail, line }) => `line ${line}: ${detail}`),
    })
  }
}
