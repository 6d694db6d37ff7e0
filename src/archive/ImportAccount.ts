/**
 * Creates an account from an archive. The database gets the archive's schema, its rows, and then this release's
 * migrations. The account appears when all of that is done, and does not dial before an administrator resumes it.
 */
import { Effect, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { v7 as uuidv7 } from "uuid"
import type { AccountSlug } from "../domain/Account.ts"
import { RecordingFolder } from "../recording/RecordingFolder.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import { UnfinishedAccounts } from "../tenancy/UnfinishedAccounts.ts"
import { ArchiveRefused } from "./ArchiveFormat.ts"
import { type Part, readArchive } from "./ArchiveReader.ts"
import type { Checked } from "./CheckArchive.ts"
import type { Progress } from "./ExportAccount.ts"
import { tablePlan } from "./TablePlan.ts"

export interface Order {
  readonly file: string
  readonly mostBytes: number
  readonly slug: AccountSlug
  /** Returns the promises of docs/promises.md that the rows break. */
  readonly verify: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient>
  readonly progress: Progress
}

const changed = "The archive was changed while it was read."

/**
 * The tables whose triggers stay enabled. The trigger of the FAQs creates their search words; the other triggers would
 * repeat what the rows already contain.
 */
const ownTriggers: ReadonlySet<string> = new Set(["faqs"])

interface Target {
  readonly table: string
  /** The columns that both the archive and this table have. */
  readonly columns: string
}

const targetsOf = Effect.fnUntraced(function* ({ manifest }: Checked) {
  const sql = yield* SqlClient.SqlClient
  const targets = new Map<string, Target>()
  for (const { columns, table } of manifest.tables) {
    // A name of the archive is compared, never sent as SQL.
    if (!tablePlan.some((plan) => plan.table === table)) {
      return yield* new ArchiveRefused({ why: `This Parley has no table ${table} to import.` })
    }
    const present = yield* sql<{ name: string }>`
      select attname::text as name from pg_attribute
      where attrelid = to_regclass(${`public.${table}`}) and attnum > 0 and not attisdropped and attgenerated = ''
      order by attnum`
    const unknown = columns.filter((column) => !present.some(({ name }) => name === column))
    if (unknown.length > 0) {
      return yield* new ArchiveRefused({ why: `This Parley's table ${table} has no column ${unknown.join(", ")}.` })
    }
    const shared = present.filter(({ name }) => columns.includes(name))
    targets.set(table, { table, columns: shared.map(({ name }) => `"${name}"`).join(", ") })
  }
  return targets
})

const write = Effect.fnUntraced(function* ({ columns, table }: Target, lines: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `insert into "${table}" (${columns}) select ${columns} from json_populate_recordset(null::"${table}", $1::json)`,
    [`[${lines.join(",")}]`],
  )
})

const reasonOf = ({ reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error ? reason.cause.message : reason.message

/** Writes the sound of a recording to the file in which the account keeps it. */
const writeSound = async (file: string, content: AsyncIterable<Buffer>) => {
  await mkdir(dirname(file), { recursive: true })
  await pipeline(content, createWriteStream(file, { mode: 0o600 }))
}

const refusalOf = (error: unknown): ArchiveRefused =>
  error instanceof ArchiveRefused ? error : new ArchiveRefused({ why: `The archive cannot be read: ${String(error)}` })

/**
 * Writes rows and sound into the empty database. The digest of the archive is compared again, because the file may have
 * changed since it was checked.
 */
const fill = Effect.fnUntraced(function* (checked: Checked, order: Order, fileOf: (id: string) => string) {
  const sql = yield* SqlClient.SqlClient
  const { manifest } = checked
  const quiet = tablePlan.filter(({ table }) => !ownTriggers.has(table))
  const present = yield* sql<{
    name: string
  }>`select tablename::text as name from pg_tables where schemaname = 'public'`
  const among = (table: string) => present.some(({ name }) => name === table)
  const switchTriggers = (how: "enable" | "disable") =>
    Effect.forEach(
      quiet.filter(({ table }) => among(table)),
      ({ table }) => sql.unsafe(`alter table "${table}" ${how} trigger user`),
      { discard: true },
    )
  // The migrations have already written the built-in tools, and the only rows of some tables. The archive has its own.
  yield* sql.unsafe(
    `truncate ${tablePlan.filter(({ table }) => among(table)).map(({ table }) => `"${table}"`)} cascade`,
  )
  yield* switchTriggers("disable")
  const targets = yield* targetsOf(checked)
  const take = Effect.fnUntraced(function* (part: Part) {
    if (part.kind === "rows") {
      const target = targets.get(part.table)
      if (target === undefined) return yield* new ArchiveRefused({ why: changed })
      yield* write(target, part.lines).pipe(
        Effect.mapError(
          (error) => new ArchiveRefused({ why: `Rows of ${part.table} are refused: ${reasonOf(error)}` }),
        ),
      )
      order.progress.rows += part.lines.length
    } else if (part.kind === "sound") {
      const { content, id } = part
      // The sound is written to this disk, and is not yet in a bucket of this installation.
      const found = yield* sql`
        update recordings set host = ${hostname()}, stored_at = null where id = ${id} returning id`
      if (found.length === 0) return yield* new ArchiveRefused({ why: `The recording ${id} belongs to no call.` })
      yield* Effect.tryPromise({ try: () => writeSound(fileOf(id), content), catch: refusalOf })
      order.progress.recordings++
    } else if (part.digest !== manifest.sha256 && part.name === "manifest.json") {
      return yield* new ArchiveRefused({ why: changed })
    }
  })
  yield* Stream.fromAsyncIterable(readArchive(order.file, order.mostBytes), refusalOf).pipe(Stream.runForEach(take))
  for (const { rows, table } of manifest.tables) {
    const [counted] = yield* sql.unsafe<{ count: number }>(`select count(*)::int as count from "${table}"`)
    if (counted?.count !== rows) return yield* new ArchiveRefused({ why: `Rows of ${table} are missing.` })
  }
  yield* switchTriggers("enable")
  yield* sql`analyze`
})

interface Campaign {
  readonly id: string
  readonly scheduled_at: Date | null
}

/**
 * Writes the account's rows in the platform's database, which `Recovery` and the couriers would otherwise write later.
 */
const join = Effect.fnUntraced(function* (
  platform: PlatformDatabase["Service"],
  id: string,
  { document }: Checked,
  campaigns: ReadonlyArray<Campaign>,
) {
  for (const member of document.members) {
    yield* platform`
      insert into memberships ${platform.insert({ ...member, id: uuidv7(), account_id: id })}
      on conflict (account_id, issuer, subject, email) do nothing`
  }
  for (const campaign of campaigns) {
    yield* platform`
      insert into dialling (account_id, campaign_id, due_at)
      values (${id}, ${campaign.id}, coalesce(${campaign.scheduled_at}::timestamptz, '-infinity'))`
  }
  yield* platform`insert into webhook_accounts (account_id, look_at) values (${id}, now())`
})

const alive = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Campaign>`
    select id, case when status = 'draft' then scheduled_at end as scheduled_at from campaigns
    where status = 'running' or (status = 'draft' and scheduled_at is not null)`,
)

/**
 * The id that the account gets here. It keeps its own, which its widget keys contain, unless another account already
 * has it.
 */
export const idHere = Effect.fnUntraced(function* ({ manifest }: Checked) {
  const platform = yield* PlatformDatabase
  const [taken] = yield* platform`select from accounts where id = ${manifest.account_id}`
  return taken === undefined ? manifest.account_id : uuidv7()
})

/** Creates the account. After a failure there is no account, no database and no sound. */
export const importAccount = Effect.fn("ImportAccount.importAccount")(function* (checked: Checked, order: Order) {
  const folder = yield* RecordingFolder
  const platform = yield* PlatformDatabase
  const { document, manifest } = checked
  // Removes what a killed import has left.
  yield* UnfinishedAccounts.use((unfinished) => unfinished.finish)
  const id = yield* idHere(checked)
  let campaigns: ReadonlyArray<Campaign> = []
  order.progress.rows_total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0)
  order.progress.recordings_total = manifest.recordings
  const check = Effect.gen(function* () {
    const broken = yield* order.verify
    if (broken.length > 0) {
      return yield* new ArchiveRefused({ why: `The rows of the archive contradict each other: ${broken.join("; ")}.` })
    }
    campaigns = yield* alive
  })
  const account = { ...document.account, slug: order.slug, status: "restored" as const }
  return yield* Provisioning.use((provisioning) =>
    provisioning.adopt(account, {
      id,
      dataKey: checked.dataKey,
      schemaVersion: manifest.schema_version,
      fill: fill(checked, order, (call) => folder.fileOf({ id }, call)),
      check,
      join: Effect.suspend(() => join(platform, id, checked, campaigns)),
      abandon: Effect.ignore(Effect.tryPromise(() => rm(folder.folderOf({ id }), { recursive: true, force: true }))),
    }),
  )
})
