/** Streams a contact list into the database: bytes → records → COPY, as one pipeline in the caller's transaction. */
import { CsvError, parse } from "csv-parse"
import { Effect } from "effect"
import { Transform, type TransformCallback } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ImportReport } from "../domain/ImportReport.ts"
import { Invalid } from "../domain/Refusals.ts"
import type { CopyInto } from "../tenancy/Copy.ts"
import { ContactListRefused, ContactListTooLarge } from "./ContactListRefused.ts"
import { ContactRows, copyStatement, type CsvRecord, type RowRules } from "./ContactRows.ts"
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

/** Lines a chunk: one write of some 25 KB costs less than 256 of 100 bytes. */
const linesAChunk = 256

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
  const loading = new ContactLines(id, list)
  await pipeline(continued(first.value, blocks), parserFor(first.value), loading, into(copyStatement), { signal })
  return loading.imported()
}

const continued = async function* (first: Buffer, rest: AsyncIterable<Buffer>) {
  yield first
  yield* rest
}

const parserFor = (firstBlock: Buffer) =>
  parse({
    bom: true,
    delimiter: delimiterOf(firstBlock),
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    // Not only for the rule that blank lines are ignored: a file of nothing else would keep the parser busy for minutes.
    skip_empty_lines: true,
    info: true,
  })

/** What the parser hands over: the record, and how many blank lines it has skipped so far. */
interface Parsed {
  readonly record: ReadonlyArray<string>
  readonly info: { readonly empty_lines: number }
}

class ContactLines extends Transform {
  private readonly id: string
  private readonly list: ContactList
  private rows: ContactRows | undefined
  private report: ImportReport | undefined
  /** Rows from the first one on whose fate hangs on a field that did not come yet, in their order. */
  private readonly waiting: Array<CsvRecord> = []
  /** Of the records before; blank lines are the parser's to count. */
  private linesSoFar = 0
  private lines = ""
  private count = 0

  constructor(id: string, list: ContactList) {
    super({ writableObjectMode: true, writableHighWaterMark: 1024 })
    this.id = id
    this.list = list
  }

  override _transform(parsed: Parsed, _encoding: string, done: TransformCallback) {
    // Called by the stream, which takes a thrown error for a crash and a given one for a refusal.
    try {
      this.receive(parsed)
      done()
    } catch (cause) {
      done(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  override _flush(done: TransformCallback) {
    this.list
      .rules()
      .then((rules) => {
        if (this.rows === undefined) throw new ContactListRefused({ detail: "is empty" })
        for (const record of this.waiting) this.put(this.rows.take(record, rules))
        if (this.lines !== "") this.push(this.lines)
        this.report = this.rows.finish(rules)
      })
      .then(() => done(), done)
  }

  imported(): Imported {
    if (this.rows === undefined || this.report === undefined) throw new Error("the import has not ended")
    return { report: this.report, columns: this.rows.columns }
  }

  private receive({ info, record: cells }: Parsed): void {
    const record: CsvRecord = { line: 1 + this.linesSoFar + info.empty_lines, cells }
    this.linesSoFar += linesOf(cells)
    if (this.rows === undefined) {
      this.rows = new ContactRows(this.id, cells)
      return
    }
    const rules = this.list.rulesSoFar()
    if (this.waiting.length > 0 || this.rows.dependsOn(record, rules)) this.waiting.push(record)
    else this.put(this.rows.take(record, { default_country: undefined, duplicate_policy: "skip", ...rules }))
  }

  private put(line: string): void {
    this.lines += line
    if (++this.count < linesAChunk || this.lines === "") return
    this.push(this.lines)
    this.lines = ""
    this.count = 0
  }
}

/** The parser's own count takes a CR LF inside quotes for two. */
const linesOf = (cells: ReadonlyArray<string>): number => {
  let lines = 1
  for (const cell of cells) if (cell.includes("\n")) lines += cell.split("\n").length - 1
  return lines
}

/** What the sender can mend; anything else is our own trouble. */
const refusalOf = (cause: unknown): Effect.Effect<never, Invalid | ContactListTooLarge> | undefined => {
  if (cause instanceof ContactListTooLarge || cause instanceof Invalid) return Effect.fail(cause)
  if (cause instanceof CsvError) return refused([`line ${Number(cause["lines"])} is no CSV: ${cause.message}`])
  return cause instanceof ContactListRefused ? refused([cause.detail, ...(cause.rows ?? [])]) : undefined
}

const refused = (details: ReadonlyArray<string>) =>
  new Invalid({ errors: details.map((detail) => ({ pointer: "/contacts", detail })) })
