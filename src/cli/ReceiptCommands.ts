/**
 * `parley receipts`: verifies the receipts of an account's dials, in its database or in a file, and writes them into a
 * file (decision 0082).
 */
import { Console, Context, Effect, Layer, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { createWriteStream, existsSync } from "node:fs"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as RuleContents from "../catalog/RuleContents.ts"
import * as Hashes from "../campaigns/receipts/ReceiptHashes.ts"
import * as Receipts from "../campaigns/Receipts.ts"
import { AccountSlug } from "../domain/Account.ts"
import { ReceiptCheck } from "../domain/ReceiptCheck.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { readersPool } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import { Schema } from "effect"
import * as Installation from "./Installation.ts"
import { receiptsOfRows } from "./Invariants.ts"
import { asJson, printJson, Refused } from "./Output.ts"
import { linesOfFile } from "./ReceiptFile.ts"

const newCheck = (head: string | undefined) => new ReceiptCheck({ ...Hashes, digestOf: RuleContents.digestOf }, head)

const addAll = <E, R>(check: ReceiptCheck, lines: Stream.Stream<string, E, R>) =>
  lines.pipe(
    Stream.runForEach((line) => Effect.sync(() => check.add(line))),
    Effect.andThen(Effect.sync(() => check.end())),
  )

/** Opens an account's database for reading only. Refuses one with an older schema than this release's. */
const openDatabase = Effect.fnUntraced(function* (slug: AccountSlug) {
  const entry = yield* AccountDirectory.use((directory) => directory.find(slug))
  if (entry.schemaVersion < Migrations.newestOfTenant) {
    return yield* new Refused({
      why: `${slug} has the schema ${entry.schemaVersion} instead of ${Migrations.newestOfTenant}. Run \`parley repair\`.`,
    })
  }
  const url = yield* DatabaseServers.use(({ urlOf }) => urlOf(entry))
  const sql = yield* Layer.build(
    readersPool({ url, name: `parley:receipts:${entry.database}`, maxConnections: 1 }),
  ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
  const read: ReadPage = (query) => Effect.provideService(query, SqlClient.SqlClient, sql)
  return { sql, read }
})

const Unsealed = Schema.toType(Schema.Struct({ count: Schema.Int }))

/** What only the database shows: decisions that wait for a seal, and rows that no seal explains. */
const checkRows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, check: ReceiptCheck) {
  for (const { query, says } of receiptsOfRows) {
    const rows = yield* sql.unsafe<{ evidence: string }>(`${query} limit 20`)
    check.faults.push(...rows.map(({ evidence }) => `${says}: ${evidence}`))
  }
  const { count } = yield* Rows.one(Unsealed)(sql`
    select count(*)::int as count from calls c join dial_records d on d.id = c.dial_record_id where not d.sealed`)
  return count
})

const report = Effect.fnUntraced(function* (check: ReceiptCheck, unsealed: number | null, asJson: boolean) {
  const { begin, erased, faults, head, late, notReplayable, pruned, receipts, replayed, seals } = check
  const counts = { seals, receipts, replayed, not_replayable: notReplayable, erased, pruned, late, unsealed }
  if (asJson) yield* printJson({ ...counts, previous: begin, head, faults })
  else {
    yield* Effect.forEach(faults, (says) => Console.log(says), { discard: true })
    yield* Console.log(
      [
        `Seals: ${seals}. Receipts: ${receipts}. Decisions replayed: ${replayed}.`,
        `Not replayable, of an earlier release: ${notReplayable}. Erased or older than the account keeps: ${erased + pruned}.`,
        `Sealed more than two hours after the dial: ${late}.${unsealed === null ? "" : ` Not yet sealed: ${unsealed}.`}`,
        ...(/^0+$/u.test(begin)
          ? []
          : [`The first seal follows the hash ${begin}; what is before it was not checked.`]),
        `Head: seal ${head.seal}, ${head.hash}`,
      ].join("\n"),
    )
  }
  if (faults.length > 0)
    return yield* new Refused({ why: `Faults: ${faults.length}. docs/receipts.md says what they mean.` })
})

const head = Flag.String("head").pipe(
  Flag.withDescription("The hash of a seal that you kept elsewhere; it has to be in the chain"),
  Flag.optional,
)
const moment = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(TimestampInput), Flag.optional)
const range = {
  from: moment("from", "Only seals with calls from this moment on, such as 2026-03-03T10:00:00Z"),
  to: moment("to", "Only seals with calls up to this moment"),
}
const rangeOf = (flags: { readonly [Name in keyof typeof range]: Option.Option<string> }) => ({
  from: Option.getOrNull(Option.map(flags.from, (text) => new Date(text))),
  to: Option.getOrNull(Option.map(flags.to, (text) => new Date(text))),
})
const account = Flag.String("account").pipe(
  Flag.withDescription("The account, as in X-Account-ID"),
  Flag.withSchema(AccountSlug),
)

const verify = Command.make(
  "verify",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("What `GET /api/v1/receipts.jsonl` returned, instead of an account"),
      Argument.optional,
    ),
    account: account.pipe(Flag.optional),
    ...range,
    head,
    asJson,
  },
  Effect.fnUntraced(function* ({ account, asJson, file, head, ...flags }) {
    const check = newCheck(Option.getOrUndefined(head))
    if (Option.isSome(file)) {
      const path = resolve(file.value)
      if (!existsSync(path)) return yield* new Refused({ why: `There is no file ${path}.` })
      yield* addAll(check, linesOfFile(path))
      return yield* report(check, null, asJson)
    }
    if (Option.isNone(account)) return yield* new Refused({ why: "Name a file, or an account with --account." })
    const slug = account.value
    const verifying = Effect.gen(function* () {
      const { read, sql } = yield* openDatabase(slug)
      yield* addAll(check, Receipts.lines(rangeOf(flags), read))
      return yield* checkRows(sql, check)
    })
    const unsealed = yield* verifying.pipe(Effect.scoped, Effect.provide(Installation.layer))
    return yield* report(check, unsealed, asJson)
  }),
).pipe(
  Command.withDescription(
    "Verifies the receipts of an account's dials, in its database or in a file: every hash, every link of the chain, and every decision, which is made again from the recorded facts. Read-only; Parley may run meanwhile. Exits with 1 and names the places if anything was changed. A file needs no installation.",
  ),
  Command.withExamples([
    { command: "parley receipts verify --account acme --from 2026-03-03T00:00:00Z --to 2026-03-04T00:00:00Z" },
    { command: "parley receipts verify receipts.jsonl --head 5d0c…" },
  ]),
)

const writeFile = Command.make(
  "export",
  {
    account,
    to_file: Flag.String("to-file").pipe(Flag.withDescription("The file to write; it must not exist yet")),
    ...range,
  },
  Effect.fnUntraced(function* ({ account, to_file, ...flags }) {
    const file = resolve(to_file)
    if (existsSync(file)) return yield* new Refused({ why: `${file} exists. Name another file.` })
    const { read } = yield* openDatabase(account)
    const lines = Stream.map(Receipts.lines(rangeOf(flags), read), (line) => `${line}\n`)
    const source = Readable.from(Stream.toAsyncIterable(lines))
    yield* Effect.tryPromise({
      try: () => pipeline(source, createWriteStream(file, { mode: 0o600, flags: "wx" })),
      catch: (error) => new Refused({ why: `${file} cannot be written: ${String(error)}` }),
    })
    const fields = { account, object_id: account, object_name: account }
    yield* AuditTrail.writeToPlatform(yield* PlatformDatabase, { action: "receipt.export", ...fields })
    yield* Console.log(`Wrote the receipts of ${account} to ${file}.`)
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Writes the receipts of an account into a file of JSON lines, with phone numbers: protect it. `parley receipts verify FILE` checks it anywhere.",
  ),
  Command.withExamples([{ command: "parley receipts export --account acme --to-file receipts.jsonl" }]),
  Command.provide(Installation.layer),
)

export const receipts = Command.make("receipts").pipe(
  Command.withDescription("Proves why numbers were dialled: verifies and exports the receipts of dials."),
  Command.withSubcommands([verify, writeFile]),
)
