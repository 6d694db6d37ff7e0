/**
 * Writes an account into one archive: as a copy for its owner, without secrets, or for a move to another installation,
 * with its data key sealed by a passphrase. All rows are read at one moment.
 */
import { Effect, Schema, Stream } from "effect"
import { createReadStream } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { maskSecrets } from "../catalog/Secrets.ts"
import type { Account } from "../domain/Account.ts"
import { Member } from "../domain/Member.ts"
import { ObjectStore } from "../recording/ObjectStore.ts"
import { RecordingFolder } from "../recording/RecordingFolder.ts"
import { sizeOf } from "../recording/WavFile.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Snapshot from "../tenancy/Snapshot.ts"
import { version } from "../tenancy/Version.ts"
import {
  AccountText,
  ArchiveRefused,
  format,
  type Manifest,
  ManifestText,
  names,
  pieceBytes,
  readme,
} from "./ArchiveFormat.ts"
import { type ArchiveKey, archiveKey } from "./ArchiveKey.ts"
import { type Entry, entryOf, writeArchive } from "./ArchiveWriter.ts"
import { tablePlan, type TablePlan } from "./TablePlan.ts"

export interface Progress {
  rows: number
  rows_total: number
  recordings: number
  recordings_total: number
  recordings_missing: number
}

export interface Order {
  readonly file: string
  /** The passphrase of an archive for a move. Without it, the archive is a copy for the owner. */
  readonly passphrase?: string
  readonly hasRecordings: boolean
  /** The maximum number of bytes of the file. */
  readonly mostBytes: number
  /** Seconds since 1970. */
  readonly now: number
  /** Its counts rise while the archive is written. */
  readonly progress: Progress
}

export interface Exported {
  readonly bytes: number
  readonly manifest: Manifest
}

interface Table {
  readonly plan: TablePlan
  readonly columns: ReadonlyArray<Snapshot.Column>
  readonly rows: number
}

export const noProgress = (): Progress => ({
  rows: 0,
  rows_total: 0,
  recordings: 0,
  recordings_total: 0,
  recordings_missing: 0,
})

const MemberRow = Schema.toType(Member)
const CountRow = Schema.Struct({ count: Schema.Int })
const IdRow = Schema.Struct({ id: Schema.String })

const membersOf = Effect.fnUntraced(function* (id: string) {
  const platform = yield* PlatformDatabase
  return yield* Rows.all(MemberRow)(platform`
    select email, issuer, subject, role, created_at from memberships where account_id = ${id} order by created_at, id`)
})

const tablesOf = Effect.fnUntraced(function* (snapshot: Snapshot.Snapshot, isMove: boolean) {
  const tables: Array<Table> = []
  for (const plan of tablePlan) {
    if (plan.kind === "work" && !isMove) continue
    const all = yield* snapshot.columnsOf(plan.table)
    const columns = isMove ? all : all.filter(({ name }) => plan.secretColumns?.includes(name) !== true)
    const { count } = yield* Rows.one(CountRow)(snapshot.query(`select count(*)::int as count from "${plan.table}"`))
    tables.push({ plan, columns, rows: count })
  }
  return tables
})

/** The recordings of calls that have ended, whose sound no longer grows. */
const soundsOf = (snapshot: Snapshot.Snapshot) =>
  Rows.all(IdRow)(
    snapshot.query(
      `select r.id from recordings r join calls c on c.id = r.call_id where c.ended_at is not null order by r.id`,
    ),
  )

/** Replaces the secrets of a row by masks. */
const maskLine = (line: string, columns: ReadonlyArray<string>): string => {
  const row = JSON.parse(line)
  for (const column of columns) row[column] = maskSecrets(row[column])
  return JSON.stringify(row)
}

/** Whole lines, in pieces of about `pieceBytes`. */
async function* piecesOf(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Array<Buffer> = []
  let bytes = 0
  for await (const piece of lines) {
    held.push(piece)
    bytes += piece.length
    const end = piece.lastIndexOf(0x0a)
    if (bytes < pieceBytes || end < 0) continue
    held[held.length - 1] = piece.subarray(0, end + 1)
    yield Buffer.concat(held)
    held = [piece.subarray(end + 1)]
    bytes = piece.length - end - 1
  }
  if (bytes > 0) yield Buffer.concat(held)
}

const countLines = (piece: Buffer): number => {
  let count = 0
  for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) count++
  return count
}

/** Masks the secrets in the rows of a piece. It yields to the event loop after each row, which may have a megabyte. */
const maskPiece = async (piece: Buffer, columns: ReadonlyArray<string>): Promise<Buffer> => {
  const lines: Array<string> = []
  for (const line of piece.toString().split("\n")) {
    lines.push(line === "" ? line : maskLine(line, columns))
    await setImmediate()
  }
  return Buffer.from(lines.join("\n"))
}

async function* rowsOf(snapshot: Snapshot.Snapshot, { columns, plan, rows }: Table, order: Order) {
  const toMask = order.passphrase === undefined ? (plan.maskedColumns ?? []) : []
  let part = 0
  let found = 0
  for await (const piece of piecesOf(snapshot.lines(plan.table, columns))) {
    const lines = countLines(piece)
    found += lines
    part++
    yield entryOf(names.rows(plan.table, part), toMask.length === 0 ? piece : await maskPiece(piece, toMask))
    order.progress.rows += lines
  }
  // Both statements read the same snapshot, so the numbers must agree.
  if (found !== rows) throw new Error(`${plan.table} has ${rows} rows, and ${found} were read`)
}

/** The sound of a recording: a file of this machine, or an object of the store. */
interface Sound {
  readonly size: number
  readonly content: AsyncIterable<Buffer>
}

type FindSound = () => Promise<Sound | undefined>

/** The sound at the path. `findStored` finds it in the object store. */
export const soundAt = async (path: string, findStored: FindSound): Promise<Sound | undefined> => {
  const size = await sizeOf(path)
  if (size === undefined) return findStored()
  return { size, content: size === 0 ? noBytes() : bytesOf(path, size, findStored) }
}

async function* bytesOf(path: string, size: number, findStored: FindSound): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { end: size - 1 })
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "ENOENT")) throw fault
    // The file was uploaded and deleted after it was found: read the object instead.
    yield* (await findStored())?.content ?? noBytes()
  }
}

/**
 * The sound in the object store. Undefined if there is none, or if the store cannot be read: the archive then counts it
 * as missing.
 */
const objectOf = (objects: ObjectStore["Service"], account: string, id: string) =>
  objects === null
    ? Effect.undefined
    : objects.find(account, id).pipe(
        Effect.map((found): Sound | undefined => {
          if (found === undefined) return undefined
          const { bytes, read } = found
          const content = bytes === 0 ? Stream.empty : Stream.map(read(0, bytes - 1), (piece) => Buffer.from(piece))
          return { size: bytes, content: Stream.toAsyncIterable(content) }
        }),
        Effect.catch((fault) =>
          Effect.as(Effect.logWarning("a stored recording could not be exported", fault.message), undefined),
        ),
      )

async function* soundEntries(
  ids: ReadonlyArray<string>,
  find: (id: string) => Promise<Sound | undefined>,
  progress: Progress,
): AsyncGenerator<Entry> {
  for (const id of ids) {
    const sound = await find(id)
    if (sound === undefined) progress.recordings_missing++
    else yield { name: names.sound(id), ...sound }
    progress.recordings++
  }
}

async function* noBytes(): AsyncGenerator<Buffer> {}

const encodeAccount = Schema.encodeSync(AccountText)
const encodeManifest = Schema.encodeSync(ManifestText)

/** Writes the file, and returns its size and its manifest. After a failure there is no file with that name. */
export const exportAccount = Effect.fn("ExportAccount.exportAccount")(function* (entry: AccountEntry, order: Order) {
  const folder = yield* RecordingFolder
  const objects = yield* ObjectStore
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const isMove = order.passphrase !== undefined
  const snapshot = yield* Snapshot.open(entry, isMove ? undefined : entry.login)
  const tables = yield* tablesOf(snapshot, isMove)
  const sounds = order.hasRecordings ? yield* soundsOf(snapshot) : []
  const members = yield* membersOf(entry.id)
  const { passphrase } = order
  const key: ArchiveKey | null = passphrase === undefined ? null : yield* Effect.promise(() => archiveKey(passphrase))
  order.progress.rows_total = tables.reduce((sum, { rows }) => sum + rows, 0)
  order.progress.recordings_total = sounds.length
  const account: Account = entry.account
  const manifestWith = (sha256: string): Manifest => ({
    format,
    kind: isMove ? "move" : "copy",
    parley: version,
    schema_version: entry.schemaVersion,
    exported_at: new Date(order.now * 1_000).toISOString(),
    account_id: entry.id,
    tables: tables.map(({ columns, plan, rows }) => ({
      table: plan.table,
      columns: columns.map(({ name }) => name),
      rows,
    })),
    recordings: sounds.length - order.progress.recordings_missing,
    recordings_missing: order.progress.recordings_missing,
    sha256,
    key: key === null ? null : { salt: key.salt, sealed: key.seal(entry.id, entry.dataKey) },
  })
  let manifest = manifestWith("")
  async function* entries(digest: () => string): AsyncGenerator<Entry> {
    yield entryOf(names.readme, Buffer.from(readme))
    yield entryOf(names.account, Buffer.from(encodeAccount({ account, members })))
    for (const table of tables) yield* rowsOf(snapshot, table, order)
    yield* soundEntries(
      sounds.map(({ id }) => id),
      (id) => soundAt(folder.fileOf(entry, id), () => run(objectOf(objects, entry.id, id))),
      order.progress,
    )
    manifest = manifestWith(digest())
    const text = Buffer.from(encodeManifest(manifest))
    yield entryOf(names.manifest, text)
    if (key !== null) yield entryOf(names.signature, Buffer.from(key.sign(text)))
  }
  const { file, mostBytes, now } = order
  const bytes = yield* Effect.tryPromise({
    try: (signal) => writeArchive(entries, { file, modified: now, mostBytes, signal }),
    catch: (error) =>
      error instanceof ArchiveRefused
        ? error
        : new ArchiveRefused({ why: `The archive could not be written: ${String(error)}` }),
  })
  const exported: Exported = { bytes, manifest }
  return exported
}, Effect.scoped)
