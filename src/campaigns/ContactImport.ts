/** Streams a contact list into the database: bytes → records → COPY, as one pipeline in the caller's transaction. */
import { Effect } from "effect"
import { pipeline } from "node:stream/promises"
import type { ImportReport } from "../domain/ImportReport.ts"
import { Invalid } from "../domain/Refusals.ts"
import type { CopyInto } from "../tenancy/Copy.ts"
import { ContactListRefused, ContactListTooLarge } from "./ContactListRefused.ts"
import { ContactRows, copyStatement, rowLimits, type RowRules, rowsBehind } from "./ContactRows.ts"
import { CsvReader, type CsvRecord } from "./CsvReader.ts"
import { checkedBlocks, formOf } from "./CsvText.ts"
import { Slices } from "./Slices.ts"

/** The file part of a form. Other fields of the form may come before it or after it. */
export interface ContactList {
  readonly file: AsyncIterable<Buffer>
  /** The form's fields about rows that have arrived so far. */
  readonly rulesSoFar: () => Partial<RowRules>
  /** All of the form's fields about rows, which are known only after the file's last byte. */
  readonly rules: () => Promise<RowRules>
}

export interface Imported {
  readonly report: ImportReport
  readonly columns: ReadonlyArray<string>
}

/** Characters of a chunk: one write of this size costs less than many of a line each. */
const chunkSize = 32_768

/** Every accepted row becomes a contact of the campaign. A refused list leaves nothing, since the caller rolls back. */
export const run = Effect.fn("ContactImport.run")(function* (campaignId: string, list: ContactList, into: CopyInto) {
  return yield* Effect.tryPromise({
    try: (signal) => load(campaignId, list, into, signal),
    catch: (cause) => cause,
  }).pipe(Effect.catch((cause) => refusalOf(cause) ?? Effect.die(cause)))
})

/** One pipeline, so that its rejection is the first cause; two would report each other's end instead. */
const load = async (id: string, list: ContactList, into: CopyInto, signal: AbortSignal): Promise<Imported> => {
  const contacts = new ContactLines(id, list)
  await pipeline(contacts.lines(), into(copyStatement), { signal })
  return contacts.imported()
}

class ContactLines {
  private readonly id: string
  private readonly list: ContactList
  private readonly slices = new Slices()
  private reader: CsvReader | undefined
  private rows: ContactRows | undefined
  private report: ImportReport | undefined
  /** Rows, in order, from the first one whose result depends on a field that has not arrived yet. */
  private readonly waiting: Array<CsvRecord> = []
  private chunk = ""
  /** Bytes of the blocks before the present one. */
  private bytes = 0

  constructor(id: string, list: ContactList) {
    this.id = id
    this.list = list
  }

  /** The lines of the accepted rows for COPY, in chunks. */
  async *lines(): AsyncGenerator<string> {
    for await (const block of checkedBlocks(this.list.file)) {
      // A line, and so a block, may have 10 MB: copying, decoding and searching it take some 5 ms each.
      if (this.slices.isOver()) await this.slices.rest()
      const text = block.toString("utf8")
      if (this.slices.isOver()) await this.slices.rest()
      for (const record of this.recordsOf(text)) {
        if (record !== null) this.receive(record)
        if (this.chunk.length >= chunkSize) yield this.takeChunk()
        if (this.slices.isOver()) await this.slices.rest()
      }
      this.bytes += block.length
    }
    for (const record of this.reader?.end() ?? []) this.receive(record)
    const rules = await this.list.rules()
    if (this.rows === undefined) throw new ContactListRefused({ detail: "is empty" })
    for (const [at, record] of this.waiting.entries()) {
      this.chunk += this.rows.take(record, rules)
      this.rows.refuseIfHopeless(this.waiting.length - at - 1)
      if (this.chunk.length >= chunkSize) yield this.takeChunk()
      if (this.slices.isOver()) await this.slices.rest()
    }
    if (this.chunk !== "") yield this.takeChunk()
    this.report = this.rows.finish(rules)
  }

  imported(): Imported {
    if (this.rows === undefined || this.report === undefined) throw new Error("the import has not ended")
    return { report: this.report, columns: this.rows.columns }
  }

  private recordsOf(text: string): Generator<CsvRecord | null> {
    if (this.reader !== undefined) return this.reader.read(text)
    const { delimiter, from, line } = formOf(text)
    this.reader = new CsvReader(delimiter, rowLimits, line)
    return this.reader.read(text.slice(from))
  }

  private takeChunk(): string {
    const { chunk } = this
    this.chunk = ""
    return chunk
  }

  private receive(record: CsvRecord): void {
    if (this.rows === undefined) {
      this.rows = new ContactRows(this.id, record)
      return
    }
    const rules = this.list.rulesSoFar()
    if (this.waiting.length > 0 || this.rows.dependsOn(record, rules)) {
      this.waiting.push(record)
      return
    }
    this.chunk += this.rows.take(record, { default_country: undefined, duplicate_policy: "skip", ...rules })
    this.rows.refuseIfHopeless(rowsBehind(this.bytes))
  }
}

/** Faults that the sender can fix. Any other error is a defect. */
const refusalOf = (cause: unknown): Effect.Effect<never, Invalid | ContactListTooLarge> | undefined => {
  if (cause instanceof ContactListTooLarge || cause instanceof Invalid) return Effect.fail(cause)
  return cause instanceof ContactListRefused ? refusalWith([cause.detail, ...(cause.rows ?? [])]) : undefined
}

const refusalWith = (details: ReadonlyArray<string>) =>
  new Invalid({ errors: details.map((detail) => ({ pointer: "/contacts", detail })) })
