/**
 * Cells of an export: texts that a reader or a spreadsheet could misread, and what a spreadsheet must not find in them.
 */
import { assert } from "@effect/vitest"
import fc from "fast-check"

const parts = fc.constantFrom(
  ...["=", "+", "-", "@", "\t", "\r", "\n", "\r\n", '"', ",", ";", "a", " ", "é", "1+cmd|' /C calc'!A0"],
)

export const cell = fc.array(parts, { maxLength: 6 }).map((some) => some.join(""))

/** A spreadsheet reads a cell that begins like this as a formula. */
export const formula = /^[=+\-@\t\r]/

/** Also checks lines inside a cell, since some readers break a row there. */
export const assertNoFormula = (cells: ReadonlyArray<string>): void => {
  for (const line of cells.flatMap((text) => text.split(/\r\n|[\r\n]/))) assert.notMatch(line, formula)
}
