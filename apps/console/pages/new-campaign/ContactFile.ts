/** A contact list as dropped by the user: parsed in the browser, and sent unchanged or without some rows. */
import { parse } from "csv-parse/browser/esm/sync"
import { stringify } from "csv-stringify/browser/esm/sync"
import { toCsv } from "../../data/CsvText.ts"

/** The server's limit (spec §8), checked before the upload. */
export const mostBytes = 10 * 1024 * 1024

export interface ContactFile {
  readonly name: string
  readonly size: number
  readonly text: string
  readonly delimiter: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The line of the file on which each row begins, from 1, as the server counts them. */
  readonly rowLines: ReadonlyArray<number>
  readonly seconds: number
}

const delimiters = [",", ";", "\t"]

const delimiterOf = (header: string): string =>
  delimiters.toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ","

export const read = async (file: File): Promise<ContactFile> => {
  const began = performance.now()
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
  return fileOf(file.name, file.size, text, began)
}

const fileOf = (name: string, size: number, text: string, began: number): ContactFile => {
  const delimiter = delimiterOf(text.split(/\r?\n/, 1)[0] ?? "")
  const lines: Array<number> = []
  let countedTwice = 0
  const [header = [], ...rows]: Array<Array<string>> = parse(text, {
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    // The server reports a broken quote with its line.
    relax_quotes: true,
    on_record: (cells: Array<string>, { lines: reached }) => {
      // csv-parse counts a line break of two characters inside a cell as two lines.
      countedTwice += occurrences(cells, "\r\n")
      lines.push(reached - countedTwice - occurrences(cells, "\n"))
      return cells
    },
  })
  return {
    name,
    size,
    text,
    delimiter,
    columns: header.map((column) => column.trim()),
    rows,
    rowLines: lines.slice(1),
    seconds: (performance.now() - began) / 1000,
  }
}

const occurrences = (cells: ReadonlyArray<string>, part: string): number =>
  cells.reduce((sum, cell) => sum + (cell.includes(part) ? cell.split(part).length - 1 : 0), 0)

/** The same list with another header or other rows. */
export const rewritten = (
  file: ContactFile,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ContactFile => {
  const text = stringify([[...columns], ...rows.map((row) => [...row])], { delimiter: file.delimiter })
  return fileOf(file.name, new Blob([text]).size, text, performance.now())
}

/** The refused rows as CSV, each with its line, column and reason, and the text from its line to that of the next row. */
export const refusedRows = (
  errors: ReadonlyArray<{ readonly line: number; readonly column: string | null; readonly detail: string }>,
  file: ContactFile | undefined,
): string => {
  const lines = file?.text.split(/\r?\n/) ?? []
  const rowAt = (line: number): string => {
    const next = file?.rowLines[file.rowLines.indexOf(line) + 1] ?? lines.length + 1
    return lines
      .slice(line - 1, Math.max(line, next - 1))
      .join("\n")
      .trimEnd()
  }
  return toCsv(
    ["line", "column", "reason", "row"],
    errors.map(({ column, detail, line }) => ({ line, column, reason: detail, row: rowAt(line) })),
  )
}
