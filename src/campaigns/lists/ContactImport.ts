/** Streams a contact list into the database: bytes → records → COPY, as one pipeline in the caller's transaction. */
import { Effect } from "effect"
import { pipeline } from "node:stream/promises"
import type { ImportReport } from "../../domain/ImportReport.ts"
import type { CopyInto } from "../../tenancy/Copy.ts"
import { ContactRows, copyStatement, type RowRules } from "./ContactRows.ts"
import { maximumBytes } from "./CsvText.ts"
import { readList } from "./ListReader.ts"
import { failAsRefusal } from "./ListRefused.ts"

/** The file of a form, and the rules that its other fields give for rows. */
export interface ContactList {
  readonly file: AsyncIterable<Buffer>
  readonly rules: RowRules
}

export interface Imported {
  readonly report: ImportReport
  readonly columns: ReadonlyArray<string>
}

/**
 * Imports a list: every accepted row becomes a contact of the campaign. A refused list leaves nothing, since the caller
 * rolls back.
 */
export const run = Effect.fn("ContactImport.run")(function* (campaignId: string, list: ContactList, into: CopyInto) {
  return yield* Effect.tryPromise({
    try: (signal) => load(campaignId, list, into, signal),
    catch: (cause) => cause,
  }).pipe(Effect.catch(failAsRefusal("contacts")))
})

/** One pipeline, so that its rejection is the first cause; two would report each other's end instead. */
const load = async (id: string, list: ContactList, into: CopyInto, signal: AbortSignal): Promise<Imported> => {
  let rows: ContactRows | undefined
  const lines = readList(list.file, maximumBytes, (header) => (rows = new ContactRows(id, header, list.rules)))
  await pipeline(lines, into(copyStatement(list.rules)), { signal })
  if (rows === undefined) throw new Error("the list was not read")
  return { report: rows.report(), columns: rows.columns }
}
