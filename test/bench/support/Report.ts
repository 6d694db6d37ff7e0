/**
 * The output of a benchmark: Markdown tables, which docs/benchmarks.md can hold unchanged, and the machine on which
 * they were measured.
 */
import { cpus, loadavg, release, totalmem } from "node:os"

export const heading = (text: string): void => console.log(`\n### ${text}\n`)

export const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = columns.map((column, at) => Math.max(column.length, ...rows.map((row) => (row[at] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`
  console.log(line(columns))
  console.log(
    `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`,
  )
  for (const row of rows) console.log(line(row))
}

export const note = (text: string): void => console.log(`\n${text}`)

/** Prints the machine. Noise is part of the result: the load average shows how much other programs used. */
export const machine = (): void => {
  const [one = 0, five = 0] = loadavg()
  const { length } = cpus()
  note(
    `Node ${process.version}, Linux ${release()}, ${length} × ${cpus()[0]?.model.trim() ?? "CPU"}, ` +
      `${(totalmem() / 2 ** 30).toFixed(0)} GB; load average ${one.toFixed(1)} (1 min), ${five.toFixed(1)} (5 min).`,
  )
}
