/**
 * The format of an archive: a gzipped tar file of JSON Lines and recordings, which ends with its manifest
 * (docs/exports.md, decision 0047).
 */
import { Data, Effect, Schema } from "effect"
import { Account } from "../domain/Account.ts"
import { Member } from "../domain/Member.ts"

/** The version of the format. A reader refuses a higher one. */
export const format = 1

/**
 * Bytes. Rows are written in pieces of about this size, so that neither writer nor reader holds more of them in memory.
 */
export const pieceBytes = 1024 * 1024
/** Bytes. The longest line that a reader accepts. A call with its transcript has some 100 kB. */
export const longestLine = 64 * 1024 * 1024
/**
 * Bytes. The longest document that a reader accepts. A document is everything that is neither rows nor sound; a large
 * account has some 10 kB.
 */
export const longestDocument = 4 * 1024 * 1024
/** Bytes. The longest recording that a reader accepts; the format WAV has no longer files. */
export const longestSound = 4 * 1024 ** 3

/** The archive cannot be written, or the reader refuses it. `why` is the reason, as a sentence. */
export class ArchiveRefused extends Data.TaggedError("ArchiveRefused")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

export const Kind = Schema.Literals(["copy", "move"])
export type Kind = typeof Kind.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Uuid = Schema.String.check(Schema.isUUID())

const TableEntry = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: Count,
})

export const Manifest = Schema.Struct({
  format: Schema.Int,
  kind: Kind,
  /** The version of the Parley that wrote it. */
  parley: Schema.String,
  /** The number of the newest migration of the account's database. */
  schema_version: Schema.Int.check(Schema.isGreaterThan(0)),
  exported_at: Schema.String,
  account_id: Uuid,
  tables: Schema.Array(TableEntry),
  recordings: Count,
  /**
   * The number of recordings whose sound is not in the archive: it was neither on the disk of the machine that wrote
   * the archive nor in its object store.
   */
  recordings_missing: Count,
  /** The digest of all bytes of the tar file before the manifest. */
  sha256: Schema.String,
  /** The account's data key, sealed by the passphrase. Null in a copy for the owner. */
  key: Schema.NullOr(Schema.Struct({ salt: Schema.String, sealed: Schema.String })),
})
export type Manifest = typeof Manifest.Type

export const ManifestText = Schema.fromJsonString(Manifest)

/**
 * Archives from before the audit log do not say how long it is kept, and those from before caps on money and
 * `consent_days` have none.
 */
const ArchivedAccount = Schema.Struct({
  ...Account.fields,
  audit_days: Account.fields.audit_days.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  consent_days: Account.fields.consent_days.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
  daily_spend_cap: Account.fields.daily_spend_cap.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(null))),
})

export const AccountDocument = Schema.Struct({
  account: ArchivedAccount,
  members: Schema.Array(Member).check(Schema.isMaxLength(100_000)),
})
export type AccountDocument = typeof AccountDocument.Type

export const AccountText = Schema.fromJsonString(AccountDocument)

export const names = {
  readme: "README.txt",
  account: "account.json",
  manifest: "manifest.json",
  /** HMAC-SHA256 of the manifest, in hexadecimal digits. */
  signature: "manifest.hmac",
  rows: (table: string, part: number) => `data/${table}-${String(part).padStart(5, "0")}.jsonl`,
  sound: (id: string) => `recordings/${id}.wav`,
}

export type Meaning =
  | { readonly kind: "document"; readonly name: string }
  | { readonly kind: "rows"; readonly table: string }
  | { readonly kind: "sound"; readonly id: string }

const documents: ReadonlySet<string> = new Set([names.readme, names.account, names.manifest, names.signature])

/** The meaning of an entry by its name; undefined if an archive has no such entry. */
export const meaningOf = (name: string): Meaning | undefined => {
  if (documents.has(name)) return { kind: "document", name }
  const [, table] = /^data\/([a-z_]{1,60})-\d{5,9}\.jsonl$/.exec(name) ?? []
  if (table !== undefined) return { kind: "rows", table }
  const [, id] = /^recordings\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.wav$/.exec(name) ?? []
  return id === undefined ? undefined : { kind: "sound", id }
}

/** The README of an archive, for people who open it with other programs. */
export const readme = `An account of Parley.

account.json       the account's settings and its members
data/*.jsonl       the account's records, one JSON object on each line; the columns are those of the database
recordings/*.wav   the sound of calls, named after the call's id
manifest.json      the format, the number of rows of each table, and the SHA-256 of everything before it

Times are ISO 8601, in UTC. docs/exports.md of Parley describes each file.
`
