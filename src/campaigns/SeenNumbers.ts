/**
 * The numbers that a contact list has had, and the line of each first one. One table of 700,000 numbers takes 50 ms to
 * grow; a hundred small ones grow one at a time.
 */
import type { E164 } from "../domain/E164.ts"

const tables = 100

export class SeenNumbers {
  private readonly lines = Array.from({ length: tables }, () => new Map<string, number>())

  /** The line on which the number occurred first; undefined if it is new. */
  lineOf(number: E164): number | undefined {
    return this.tableOf(number)?.get(number)
  }

  add(number: E164, line: number): void {
    this.tableOf(number)?.set(number, line)
  }

  /** By the last two digits, which are spread over a list as its numbers are. */
  private tableOf(number: E164): Map<string, number> | undefined {
    return this.lines[Number(number.slice(-2))]
  }
}
