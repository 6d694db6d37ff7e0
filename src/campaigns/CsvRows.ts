/** The rows of an export as CSV: cells are guarded and quoted (decisions §2, CSV), and the text is written in small pieces. */
import { stringify } from "csv-stringify/sync"
import { Effect, Stream } from "effect"
import { guardFormulas } from "../domain/FormulaGuard.ts"

/** The phone number begins with `+`, as a formula does, and is not guarded. */
export type Cells = readonly [phoneNumber: string, ...others: Array<string>]

/** Quoting 10,000 characters takes half a millisecond, and a row may have 200 times as many. */
const charactersAPiece = 20_000

function* piecesOf(rows: Iterable<Cells>): Generator<string> {
  let piece = ""
  for (const [phoneNumber, ...others] of rows) {
    piece += phoneNumber
    for (const cell of others) {
      piece += `,${fieldOf(guardFormulas(cell))}`
      if (piece.length < charactersAPiece) continue
      yield piece
      piece = ""
    }
    piece += "\r\n"
  }
  if (piece !== "") yield piece
}

/** A lone CR or LF ends a row for many readers, not only the CR LF that ends ours. */
const fieldOf = (cell: string): string => (/[",\r\n]/.test(cell) ? stringify([[cell]], { eof: false }) : cell)

export const linesOf = (rows: Iterable<Cells>): string => [...piecesOf(rows)].join("")

/** The bytes of the header and of all pages. Each piece is written in its own tick of the event loop. */
export const encodeRows = <E, R>(header: Cells, pages: Stream.Stream<Iterable<Cells>, E, R>) => {
  const pieces = Stream.flatMap(pages, (rows) =>
    Stream.tap(Stream.fromIterable(piecesOf(rows), { chunkSize: 1 }), () => Effect.yieldNow),
  )
  return Stream.concat(Stream.succeed(linesOf([header])), pieces).pipe(Stream.encodeText)
}
