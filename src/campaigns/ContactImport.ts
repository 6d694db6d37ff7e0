/** Streams a contact list into the database: bytes → records → COPY, as one pipeline in the caller's transaction. */
import { Effect } from "effect"
import { pipeline } from "node:stream/promises"
import type { ImportReport } from "../domain/ImportReport.ts"
import { Invalid } from "../domain/Refusals.ts"
import type { CopyInto } from "../tenancy/Copy.ts"
import { ContactListRefused, ContactListTooLarge } from "./ContactListRefused.ts"
import { ContactRows, copyStatement, type RowRules } from "./ContactRows.ts"
import { CopyText } from "./CopyText.ts"
import { copyOf, CsvFault, type CsvRecord, CsvRecords } from "./CsvRecords.ts"
import { checkedBlocks, delimiterOf } from "./CsvText.ts"

/** The file part of a form whose other fields may stand before it or after it. */
export interface ContactList {
  readonly file: AsyncIterable<Buffer>
  /** What the form has said so far about rows. */
  readonly rulesSoFar: () => Partial<RowRules>
  /** What it says when it is complete, which is only after the file's last byte was read. */
  readonly rules: () => Promise<RowRules>
}

export interface Imported {
  readonly report: ImportReport
  readonly columns: ReadonlyArray<string>
}

/** Every accepted row is a contact of the campaign afterwards; what is refused leaves nothing, since the caller rolls back. */
export const run = Effect.fn("ContactImport.run")(function* (campaignId: string, list: ContactList, into: CopyInto) {
  return yield* Effect.tryPromise({
    try: (signal) => load(campaignId, list, into, signal),
    catch: (cause) => cause,
  }).pipe(Effect.catch((cause) => refusalOf(cause) ?? Effect.die(cause)))
})

/** One pipeline: its rejection is the first cause; two would report each other's end instead. */
const load = async (id: string, list: ContactList, into: CopyInto, signal: AbortSignal): Promise<Imported> => {
  const blocks = checkedBlocks(list.file)
  const first = await blocks.next()
  if (first.done === true) throw new ContactListRefused({ detail: "is empty" })
  const loading = new Loading(id, list, new CsvRecords(delimiterOf(first.value)))
  await pipeline(loading.text(first.value, blocks), into(copyStatement), { signal })
  return loading.imported()
}

/** One list on its way. Little is made anew for a row: a hundred thousand times that is the memory of an import. */
class Loading {
  private readonly id: string
  private readonly list: ContactList
  private readonly records: CsvRecords
  private readonly copy = new CopyText()
  private rows: ContactRows | undefined
  private report: ImportReport | undefined
  /** Rows from the first one on whose fate hangs on a field that did not come yet, in their order. */
  private readonly waiting: Array<CsvRecord> = []

  constructor(id: string, list: ContactList, records: CsvRecords) {
    this.id = id
    this.list = list
    this.records = records
  }

  /** What goes into COPY, as the list comes. */
  async *text(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield* this.read(first)
    for await (const block of rest) yield* this.read(block)
    this.records.end()
    yield* this.read(Buffer.alloc(0))
    const rules = await this.list.rules()
    if (this.rows === undefined) throw new ContactListRefused({ detail: "is empty" })
    for (const record of this.waiting) {
      const full = this.copy.makeRoom(this.rows.roomFor(record))
      if (full !== undefined) yield full
      this.rows.take(record, rules, this.copy)
    }
    yield this.copy.take()
    this.report = this.rows.finish(rules)
  }

  imported(): Imported {
    if (this.rows === undefined || this.report === undefined) throw new Error("the import has not ended")
    return { report: this.report, columns: this.rows.columns }
  }

  private *read(block: Buffer): Generator<Buffer> {
    const { records, waiting } = this
    const rules = this.list.rulesSoFar()
    records.feed(block)
    while (records.next()) {
      if (this.rows === undefined) {
        this.rows = new ContactRows(this.id, records)
        continue
      }
      const full = this.copy.makeRoom(this.rows.roomFor(records))
      if (full !== undefined) yield full
      const isTaken = waiting.length === 0 && this.rows.take(records, rules, this.copy)
      if (!isTaken) waiting.push(copyOf(records))
    }
  }
}

/** What the sender can mend; anything else is our own trouble. */
const refusalOf = (cause: unknown): Effect.Effect<never, Invalid | ContactListTooLarge> | undefined => {
  if (cause instanceof ContactListTooLarge || cause instanceof Invalid) return Effect.fail(cause)
  if (cause instanceof CsvFault) return refused([cause.message])
  return cause instanceof ContactListRefused ? refused([cause.detail, ...(cause.rows ?? [])]) : undefined
}

const refused = (details: ReadonlyArray<string>) =>
  new Invalid({ errors: details.map((detail) => ({ pointer: "/contacts", detail })) })
