/** `parley accounts export` and `import`: move an account to another installation in a file. */
import { Clock, Config, Console, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Manifest } from "../archive/ArchiveFormat.ts"
import { shortestPassphrase } from "../archive/ArchiveKey.ts"
import { checkArchive, type Checked } from "../archive/CheckArchive.ts"
import { exportAccount, noProgress, type Progress } from "../archive/ExportAccount.ts"
import { idHere, importAccount } from "../archive/ImportAccount.ts"
import { AccountSlug, platformAdmin } from "../domain/Account.ts"
import { NameTaken } from "../domain/Refusals.ts"
import { ObjectStore } from "../recording/ObjectStore.ts"
import { RecordingFolder } from "../recording/RecordingFolder.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { busyIn, readerOf } from "../tenancy/AccountDatabases.ts"
import type { Server } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import { DataFolder } from "../tenancy/DataFolder.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { verifyRows } from "./Invariants.ts"
import { asJson, bytes, isDryRun, printJson, Refused } from "./Output.ts"

/** The stores of recordings, for commands that read or write them. */
export const recordings = Layer.merge(RecordingFolder.layer.pipe(Layer.provide(DataFolder.layer)), ObjectStore.layer)

const gigabyte = 1_000_000_000

const most = Flag.Int("max-gb").pipe(
  Flag.withDescription("The most gigabytes that the archive may have, unpacked"),
  Flag.withDefault(500),
)

const passphrase = Effect.gen(function* () {
  const given = yield* Config.option(Config.Redacted("PARLEY_ARCHIVE_PASSPHRASE"))
  const text = Option.match(given, { onNone: () => "", onSome: Redacted.value })
  if (text.length >= shortestPassphrase) return text
  return yield* new Refused({
    why: `Set PARLEY_ARCHIVE_PASSPHRASE to at least ${shortestPassphrase} characters: it seals the account's secrets in the archive. Make one with: openssl rand -base64 32`,
  })
})

const hasLiveCalls = Effect.fnUntraced(function* (server: Server, database: string) {
  const sql = yield* readerOf(server, database)
  return (yield* sql`select from live_calls limit 1`).length > 0
}, Effect.scoped)

const count = (value: number) => value.toLocaleString("en")

/** Prints the progress of `self` to the standard error every second, so that the standard output can be piped. */
const withProgress = <A, E, R>(progress: Progress, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let said = ""
    const say = Effect.suspend(() => {
      const { recordings, recordings_total, rows, rows_total } = progress
      const line = `rows ${count(rows)} of ${count(rows_total)}, recordings ${count(recordings)} of ${count(recordings_total)}`
      if (line === said) return Effect.void
      said = line
      return Console.error(line)
    })
    yield* say.pipe(Effect.delay("1 second"), Effect.forever, Effect.forkScoped)
    return yield* self
  }).pipe(Effect.scoped)

const rowsOf = ({ tables }: Manifest) => tables.reduce((sum, { rows }) => sum + rows, 0)

const summary = (manifest: Manifest) => `${count(rowsOf(manifest))} rows and ${count(manifest.recordings)} recordings`

export const exportToFile = Command.make(
  "export",
  {
    slug: Argument.String("slug").pipe(
      Argument.withDescription("The account, as in X-Account-ID"),
      Argument.withSchema(AccountSlug),
    ),
    to: Flag.String("to").pipe(Flag.withDescription("The file to write; it must not exist yet")),
    most,
    hasNoRecordings: Flag.Boolean("no-recordings").pipe(
      Flag.withDescription("Leave the sound of recordings out"),
      Flag.withDefault(false),
    ),
    asJson,
    isDryRun,
  },
  Effect.fnUntraced(function* ({ asJson, hasNoRecordings, isDryRun, most, slug, to }) {
    const file = resolve(to)
    const entry = yield* AccountDirectory.use((directory) => directory.find(slug))
    const server = yield* DatabaseServers.use(({ find }) => find(entry.server))
    const secret = yield* passphrase
    if (existsSync(file)) return yield* new Refused({ why: `${file} exists. Name another file.` })
    if (!entry.isReadable) {
      return yield* new Refused({ why: `PARLEY_ENCRYPTION_KEY does not open the data key of ${slug}.` })
    }
    if (entry.schemaVersion !== Migrations.newestOfTenant) {
      return yield* new Refused({
        why: `${slug} has the schema ${entry.schemaVersion} instead of ${Migrations.newestOfTenant}. Run \`parley repair\`, or the release that migrated it.`,
      })
    }
    if (yield* hasLiveCalls(server, entry.database)) {
      return yield* new Refused({
        why: `A call of ${slug} is in progress. Suspend the account, wait until its calls have ended, and run the command again.`,
      })
    }
    if (entry.account.status === "active" && (yield* busyIn(server, entry.database))) {
      yield* Console.error(
        `${slug} is active and a campaign runs in it: what happens from now on is not in the archive. For a move, suspend the account first.`,
      )
    }
    if (isDryRun) return yield* Console.log(`Would write ${slug} to ${file}.`)
    const progress = noProgress()
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const exported = yield* withProgress(
      progress,
      exportAccount(entry, {
        file,
        passphrase: secret,
        hasRecordings: !hasNoRecordings,
        mostBytes: most * gigabyte,
        now,
        progress,
      }),
    )
    const fields = { account: slug, object_id: slug, object_name: entry.account.name }
    yield* AuditTrail.writeToPlatform(yield* PlatformDatabase, { action: "account.export", ...fields })
    if (asJson) return yield* printJson({ file, bytes: exported.bytes, ...exported.manifest, key: null })
    yield* Console.log(`Wrote ${slug} to ${file}: ${summary(exported.manifest)}, ${bytes(exported.bytes)}.`)
    const { recordings_missing } = exported.manifest
    if (recordings_missing > 0) {
      yield* Console.error(
        `The sound of ${count(recordings_missing)} recordings is neither on this machine nor in a bucket. Copy it from the other machines.`,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "Writes an account into one file, to be imported by another installation: rows of one moment, recordings, members, and the data key that PARLEY_ARCHIVE_PASSPHRASE seals. Refused while a call is in progress. Changes nothing. The rows are not encrypted: protect the file.",
  ),
  Command.withExamples([{ command: "parley accounts export acme --to acme.tar.gz" }]),
)

/** Warnings: what will not work as before, and what to do about it. */
const warningsOf = ({ document, manifest }: Checked, slug: string, id: string): ReadonlyArray<string> => [
  ...(document.account.slug === slug
    ? []
    : [`The account was ${document.account.slug}: clients have to send X-Account-ID: ${slug}.`]),
  ...(manifest.account_id === id
    ? []
    : ["An account with the same id is here already, so widget keys do not work: make new ones."]),
  ...(manifest.recordings_missing === 0
    ? []
    : [`The archive lacks the sound of ${count(manifest.recordings_missing)} recordings.`]),
]

export const importFromFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(Argument.withDescription("What `parley accounts export` wrote")),
    as: Flag.String("as").pipe(
      Flag.withDescription("Another slug for the account"),
      Flag.withSchema(AccountSlug),
      Flag.withDefault(undefined),
    ),
    most,
    asJson,
    isDryRun,
  },
  Effect.fnUntraced(function* ({ as, asJson, file, isDryRun, most }) {
    const path = resolve(file)
    const mostBytes = most * gigabyte
    if (!existsSync(path)) return yield* new Refused({ why: `There is no file ${path}.` })
    const checked = yield* checkArchive(path, yield* passphrase, mostBytes)
    const slug = as ?? checked.document.account.slug
    const platform = yield* PlatformDatabase
    const [taken] = yield* platform`select from accounts where slug = ${slug}`
    if (taken !== undefined || slug === platformAdmin) {
      return yield* new NameTaken({ resource: "account", name: slug })
    }
    const warnings = warningsOf(checked, slug, yield* idHere(checked))
    const { manifest } = checked
    if (isDryRun) {
      yield* Console.log(`Would import ${slug}: ${summary(manifest)}.`)
      return yield* Effect.forEach(warnings, (says) => Console.error(says), { discard: true })
    }
    const progress = noProgress()
    const { account, database, id } = yield* withProgress(
      progress,
      importAccount(checked, { file: path, mostBytes, slug, verify: verifyRows, progress }),
    )
    if (asJson) return yield* printJson({ id, slug, database, status: account.status, warnings })
    yield* Console.log(
      `Imported ${slug}: ${summary(manifest)}. It is paused: \`parley accounts resume ${slug}\` lets it dial.`,
    )
    yield* Effect.forEach(warnings, (says) => Console.error(says), { discard: true })
  }),
).pipe(
  Command.withDescription(
    "Makes an account of a file that `parley accounts export` wrote, on this installation, with the passphrase in PARLEY_ARCHIVE_PASSPHRASE. The file is checked first. The account is paused as after a restore. Can be killed and run again.",
  ),
  Command.withExamples([{ command: "parley accounts import acme.tar.gz --as acme-eu" }]),
)
