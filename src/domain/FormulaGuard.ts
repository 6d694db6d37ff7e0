/**
 * The apostrophe that keeps a spreadsheet from reading a cell as a formula (decisions §2, CSV). Imports nothing: the
 * console uses it too.
 */

/** Some readers break a row at a line end inside a cell, so each line of a cell may begin a cell. */
const beginnings = /(?<=^|[\r\n])(?=[=+\-@\t\r])/g

/** The cell with an apostrophe before each of its lines that a spreadsheet would read as a formula. */
export const guardFormulas = (cell: string): string => cell.replaceAll(beginnings, "'")
