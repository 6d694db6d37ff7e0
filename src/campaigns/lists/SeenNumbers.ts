/**
 * The numbers that a contact list has had so far, and the line on which each occurred first. One table of 700,000
 * numbers takes 50 ms to grow; of a hundred small tables, only one grows at a time.
 */
import type { E164 } from "../../domain/E164.ts"

const tables = 100

export class SeenNumbers {
  private readonly lineNumbers = Array.from({ length: tables }, () => new Map<string, number>())

  /** The line of the file, counted from 1, on which the number occurred first; undefined if it is new. */
  firstLineNumberOf(number: E164): number | undefined {
    return this.tableOf(number)?.get(number)
  }

  add(number: E164, lineNumber: number): void {
    this.tableOf(number)?.set(number, lineNumber)
  }

  /** The table for a number, chosen by its last two digits, which are spread evenly over a list. */
  private tableOf(number: E164): Map<string, number> | undefined {
    return this.lineNumbers[Number(number.slice(-2))]
  }
}
