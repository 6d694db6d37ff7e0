/** Numbers out of pasted text or a CSV: those that can be dialled, doubles, and lines that cannot be read. */
import { parse } from "csv-parse/browser/esm/sync"
import { PhoneNumberText } from "../../../../src/rpc/inputs/Fields.ts"
import { toCsv } from "../../data/CsvText.ts"

export interface Numbers {
  readonly numbers: ReadonlyArray<{ readonly phone_number: string; readonly reason: string | null }>
  readonly doubles: number
  readonly faults: ReadonlyArray<{ readonly line: number; readonly value: string; readonly reason: string }>
}

const none: Numbers = { numbers: [], doubles: 0, faults: [] }

interface Read {
  readonly info: { readonly lines: number }
  readonly record: ReadonlyArray<string>
}

export const numbersIn = (text: string): Numbers => {
  if (text.trim() === "") return none
  const rows = parse(text, {
    bom: true,
    delimiter: [",", ";", "\t"],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  }) as unknown as ReadonlyArray<Read>
  const header = (rows[0]?.record ?? []).map((cell) => cell.toLowerCase())
  const named = header.indexOf("phone_number")
  const at = Math.max(named, 0)
  const reasonAt = named === -1 ? 1 : header.indexOf("reason")
  const found = new Map<string, string | null>()
  const faults: Array<Numbers["faults"][number]> = []
  let doubles = 0
  for (const { info, record } of named === -1 ? rows : rows.slice(1)) {
    const value = record[at] ?? ""
    const number = value.replaceAll(/[\s().-]/g, "")
    if (!PhoneNumberText.safeParse(number).success) {
      faults.push({
        line: info.lines,
        value,
        reason: "is not a number with + and a country code, such as +16175550142",
      })
    } else if (found.has(number)) doubles++
    else {
      const reason = reasonAt === -1 ? undefined : record[reasonAt]
      found.set(number, reason === undefined || reason === "" ? null : reason.slice(0, 1_000))
    }
  }
  return { numbers: [...found].map(([phone_number, reason]) => ({ phone_number, reason })), doubles, faults }
}

export const leftOut = ({ faults }: Numbers): Blob =>
  new Blob([toCsv(["line", "value", "reason"], faults)], { type: "text/csv" })
