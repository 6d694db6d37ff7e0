/** Reads an uploaded list of numbers: bytes → records → what is to be written, in slices of the event loop. */
import { CsvReader, type CsvRecord } from "./CsvReader.ts"
import { blankLinesOf, checkedBlocks, formOf } from "./CsvText.ts"
import { rowLimits } from "./ListHeader.ts"
import { ListRefused } from "./ListRefused.ts"
import { Slices } from "./Slices.ts"

/** Takes the rows after the header, and makes of them what is to be written. */
export interface ListRows<Written> {
  readonly take: (record: CsvRecord) => void
  /** Throws if more than half of the rows stay invalid even if all rows in the `bytes` that may follow are valid. */
  readonly refuseIfHopeless: (bytes: number) => void
  /**
   * Returns what was made of the rows since the last call. Undefined until it is worth a write, or the list `isOver`.
   */
  readonly write: (isOver: boolean) => Written | undefined
}

/**
 * Reads the list and yields what is to be written. A list longer than `mostBytes` is refused. `begin` gets the first
 * record of the list.
 */
export async function* readList<Written>(
  file: AsyncIterable<Buffer>,
  mostBytes: number,
  begin: (first: CsvRecord) => ListRows<Written>,
): AsyncGenerator<Written> {
  const slices = new Slices()
  let reader: CsvReader | undefined
  let rows: ListRows<Written> | undefined
  let bytesLeft = mostBytes
  let linesBefore = 0
  const receive = (record: CsvRecord): void => {
    if (rows === undefined) rows = begin(record)
    else rows.take(record)
    rows.refuseIfHopeless(bytesLeft)
  }
  for await (const block of checkedBlocks(file, mostBytes)) {
    // A single line, and therefore a block, may have all the bytes: copying, decoding and searching 10 MB take some 5
    // ms each.
    if (slices.isOver()) await slices.rest()
    let text = block.toString("utf8")
    if (slices.isOver()) await slices.rest()
    if (reader === undefined) {
      // The delimiter is found in the header, which blank lines may precede.
      const { end, lines } = blankLinesOf(text)
      text = text.slice(end)
      linesBefore += lines
      if (text !== "") {
        const { delimiter, from, line } = formOf(text)
        reader = new CsvReader(delimiter, rowLimits, linesBefore + line)
        text = text.slice(from)
      }
    }
    for (const record of reader?.read(text) ?? []) {
      if (record !== null) receive(record)
      const written = rows?.write(false)
      if (written !== undefined) yield written
      if (slices.isOver()) await slices.rest()
    }
    bytesLeft -= block.length
  }
  for (const record of reader?.end() ?? []) receive(record)
  if (rows === undefined) throw new ListRefused({ detail: "is empty" })
  const written = rows.write(true)
  if (written !== undefined) yield written
}
