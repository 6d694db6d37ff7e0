/**
 * Checks a whole archive before an account is created from it: it must be complete, unchanged, of a known format, and
 * of an account that can be created here.
 */
import { Effect, Result, Schema } from "effect"
import * as Migrations from "../tenancy/Migrations.ts"
import {
  type AccountDocument,
  AccountText,
  ArchiveRefused,
  format,
  type Manifest,
  ManifestText,
  names,
} from "./ArchiveFormat.ts"
import { archiveKey } from "./ArchiveKey.ts"
import { readArchive } from "./ArchiveReader.ts"
import { tablePlan } from "./TablePlan.ts"

export interface Checked {
  readonly manifest: Manifest
  readonly document: AccountDocument
  readonly dataKey: Uint8Array
}

interface Found {
  account: Buffer | undefined
  manifest: Buffer | undefined
  signature: Buffer | undefined
  sha256: string
  sounds: number
  readonly rows: Map<string, number>
}

const refuse = (why: string): never => {
  throw new ArchiveRefused({ why })
}

/** The positions of entries in an archive, which must come in ascending order. */
const placeOf = (name: string): number => [names.readme, names.account].indexOf(name)
const afterRows = tablePlan.length + 2
const places = new Map(tablePlan.map(({ table }, at) => [table, at + 2]))

const look = async (file: string, mostBytes: number): Promise<Found> => {
  const found: Found = {
    account: undefined,
    manifest: undefined,
    signature: undefined,
    sha256: "",
    sounds: 0,
    rows: new Map(),
  }
  let last = -1
  /**
   * Checks the position of an entry. A document comes once; a table's rows and the recordings come in several entries.
   */
  const come = (place: number, what: string, isOnce = false) => {
    if (place < last || (isOnce && place === last)) refuse(`The archive has ${what} in the wrong place.`)
    last = place
  }
  for await (const part of readArchive(file, mostBytes)) {
    if (part.kind === "rows") {
      const place = places.get(part.table) ?? refuse(`This Parley has no table ${part.table} to import.`)
      come(place, `rows of ${part.table}`)
      found.rows.set(part.table, (found.rows.get(part.table) ?? 0) + part.lines.length)
    } else if (part.kind === "sound") {
      come(afterRows, "a recording")
      found.sounds++
    } else if (part.name === names.manifest) {
      come(afterRows + 1, part.name, true)
      found.manifest = part.content
      found.sha256 = part.digest
    } else if (part.name === names.signature) {
      come(afterRows + 2, part.name, true)
      found.signature = part.content
    } else {
      come(placeOf(part.name), part.name, true)
      if (part.name === names.account) found.account = part.content
    }
  }
  return found
}

const changed = "The archive was changed since it was written, or the passphrase is another one."

const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, content: Buffer, name: string): S["Type"] =>
  Result.getOrElse(
    Result.try(() => Schema.decodeUnknownSync(schema)(content.toString())),
    () => refuse(`${name} of the archive is not what this Parley expects.`),
  )

const judge = async (found: Found, passphrase: string): Promise<Checked> => {
  if (found.manifest === undefined || found.account === undefined) {
    return refuse("The archive is not complete: its manifest or its account is missing.")
  }
  const claimed = Result.getOrElse(
    Result.try(() => JSON.parse(String(found.manifest))?.format),
    () => undefined,
  )
  if (typeof claimed === "number" && claimed > format) {
    return refuse(`The archive has the format ${claimed}, and this Parley reads ${format}. Use a newer release.`)
  }
  const manifest = decode(ManifestText, found.manifest, names.manifest)
  if (manifest.kind === "copy" || manifest.key === null) {
    return refuse(
      "The archive is a copy for the account's owner. It has no secrets and no do-not-call entries of erased people, so it cannot be imported: make one with `parley accounts export`.",
    )
  }
  const key = await archiveKey(passphrase, manifest.key.salt)
  if (!key.isSignature(found.manifest, String(found.signature))) return refuse(changed)
  if (manifest.sha256 !== found.sha256) return refuse(changed)
  if (manifest.schema_version > Migrations.newestOfTenant) {
    return refuse(
      `The archive has the schema ${manifest.schema_version}, and this Parley knows ${Migrations.newestOfTenant}. Use a newer release.`,
    )
  }
  const listed = new Map(manifest.tables.map(({ rows, table }) => [table, rows]))
  for (const table of [...listed.keys(), ...found.rows.keys()]) {
    if ((found.rows.get(table) ?? 0) !== listed.get(table)) return refuse(changed)
  }
  if (found.sounds !== manifest.recordings) return refuse(changed)
  const { sealed } = manifest.key
  return {
    manifest,
    document: decode(AccountText, found.account, names.account),
    dataKey: Result.getOrElse(
      Result.try(() => key.open(manifest.account_id, sealed)),
      () => refuse(changed),
    ),
  }
}

/** Checks the archive and changes nothing. `mostBytes` limits the bytes of the unpacked archive. */
export const checkArchive = (file: string, passphrase: string, mostBytes: number) =>
  Effect.tryPromise({
    try: async () => judge(await look(file, mostBytes), passphrase),
    catch: (error) =>
      error instanceof ArchiveRefused
        ? error
        : new ArchiveRefused({ why: `The archive cannot be read: ${String(error)}` }),
  })
