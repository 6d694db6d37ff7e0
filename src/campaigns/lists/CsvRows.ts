/**
 * Writes the rows of an export as CSV: cells are guarded and quoted (decisions §2, CSV), and the text is written in
 * small pieces.
 */
import { stringify } from "csv-stringify/sync"
import { Effect, Stream } from "effect"
import { guardFormulas } from "../../domain/FormulaGuard.ts"

/** The first cell is a phone number or an id. A number begins with `+`, as a formula does, and is not guarded. */
export type Cells = readonly [plain: string, ...others: Array<string>]

/** Quoting 10,000 characters takes half a millisecond, and a row may have 200 times as many. */
const charactersAPiece = 20_000

function* piecesOf(rows: Iterable<Cells>, plain: number): Generator<string> {
  let piece = ""
  for (const cells of rows) {
    for (const [at, cell] of cells.entries()) {
      piece += at < plain ? `${at === 0 ? "" : ","}${cell}` : `,${fieldOf(guardFormulas(cell))}`
      if (piece.length < charactersAPiece) continue
      yield piece
      piece = ""
    }
    piece += "\r\n"
  }
  if (piece !== "") yield piece
}

/** Quotes a cell if necessary. Many readers end a row at a lone CR or LF, not only at the CR LF that ends ours. */
const fieldOf = (cell: string): string => (/[",\r\n]/.test(cell) ? stringify([[cell]], { eof: false }) : cell)

export const linesOf = (rows: Iterable<Cells>, plain = 1): string => [...piecesOf(rows, plain)].join("")

/**
 * The bytes of the header and of all pages. Each piece is written in its own tick of the event loop. `plain`: how many
 * of the first cells are numbers or ids, and are written as they are.
 */
export const encodeRows = <E, R>(header: Cells, pages: Stream.Stream<Iterable<Cells>, E, R>, plain = 1) => {
  const pieces = Stream.flatMap(pages, (rows) =>
    Stream.tap(Stream.fromIterable(piecesOf(rows, plain), { chunkSize: 1 }), () => Effect.yieldNow),
  )
  return Stream.concat(Stream.succeed(linesOf([header])), pieces).pipe(Stream.encodeText)
}
