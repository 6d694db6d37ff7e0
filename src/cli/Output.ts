/** The output and the flags that commands share, and the refusal that ends a command with exit code 1. */
import { Console, Data } from "effect"
import { CliOutput, Flag } from "effect/cli"

/**
 * The command did not do what was asked, or found something that must be repaired. Its message is printed to the
 * standard error.
 */
export class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

export const asJson = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON to the standard output"),
  Flag.withDefault(false),
)

export const isDryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Print what the command would do, and change nothing"),
  Flag.withDefault(false),
)

export const printJson = (value: unknown) => Console.log(JSON.stringify(value, null, 2))

/** Prints columns under their names. Cells must have no line breaks. */
export const printTable = (rows: ReadonlyArray<Readonly<Record<string, string>>>) => {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))]
  const widths = names.map((_, at) => Math.max(...lines.map((cells) => CliOutput.displayWidth(cells[at] ?? ""))))
  const pad = (cell: string, at: number) => cell + " ".repeat((widths[at] ?? 0) - CliOutput.displayWidth(cell))
  return Console.log(lines.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n"))
}

export const bytes = (count: number): string => {
  const units = ["B", "kB", "MB", "GB", "TB"]
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log(count) / Math.log(1_000)), units.length - 1)
  return `${(count / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
