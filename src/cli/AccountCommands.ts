/** `parley accounts`: lists, creates, deletes and resumes accounts without a running server. */
import { Console, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Account, accountDefaults, AccountNotFound, AccountSlug, platformAdmin } from "../domain/Account.ts"
import { DisplayNameInput, inWords } from "../domain/Name.ts"
import { NameTaken } from "../domain/Refusals.ts"
import { DatabaseServers, platformServer } from "../tenancy/DatabaseServers.ts"
import * as EarlierRelease from "../tenancy/EarlierRelease.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import * as AccountRows from "./AccountRows.ts"
import { exportToFile, importFromFile, recordings } from "./ArchiveCommands.ts"
import * as Installation from "./Installation.ts"
import { moveToServer } from "./MoveCommand.ts"
import { asJson, bytes, isDryRun, printJson, printTable, Refused } from "./Output.ts"

const slug = Argument.String("slug").pipe(
  Argument.withDescription("The account, as in X-Account-ID"),
  Argument.withSchema(AccountSlug),
)

const { calls_per_day, calls_per_minute, concurrent_max, time_zone } = Account.fields

const list = Command.make(
  "list",
  { asJson },
  Effect.fnUntraced(function* ({ asJson }) {
    const rows = yield* AccountRows.read
    if (asJson) return yield* printJson(rows)
    if (rows.length === 0) return yield* Console.log("There are no accounts.")
    yield* printTable(
      rows.map((row) => ({
        ACCOUNT: row.slug,
        STATE: row.status,
        SIZE: row.bytes === null ? "?" : bytes(row.bytes),
        SCHEMA: String(row.schema_version),
        BUSY: row.busy === null ? "?" : row.busy ? "yes" : "no",
        SERVER: row.server ?? platformServer,
        DATABASE: row.database,
        TROUBLE: AccountRows.troubleOf(row),
      })),
    )
  }),
).pipe(
  Command.withDescription(
    "Lists the accounts: state, size of the database, newest migration, and whether a call or a campaign runs in it.",
  ),
)

const create = Command.make(
  "create",
  {
    slug,
    name: Flag.String("name").pipe(
      Flag.withDescription("The account's name, for people (default: made of the slug)"),
      Flag.withSchema(DisplayNameInput),
      Flag.withDefault(undefined),
    ),
    concurrent_max: Flag.Int("concurrent-max").pipe(
      Flag.withDescription("The most calls at the same time"),
      Flag.withSchema(concurrent_max),
      Flag.withDefault(accountDefaults.concurrent_max),
    ),
    calls_per_minute: Flag.Int("calls-per-minute").pipe(
      Flag.withDescription("The most calls that begin within 60 seconds"),
      Flag.withSchema(calls_per_minute),
      Flag.withDefault(accountDefaults.calls_per_minute),
    ),
    calls_per_day: Flag.Int("calls-per-day").pipe(
      Flag.withDescription("The most calls that begin on a day"),
      Flag.withSchema(calls_per_day),
      Flag.withDefault(accountDefaults.calls_per_day),
    ),
    time_zone: Flag.String("time-zone").pipe(
      Flag.withDescription("The IANA time zone in which the account's day begins"),
      Flag.withSchema(time_zone),
      Flag.withDefault(accountDefaults.time_zone),
    ),
    server: Flag.String("server").pipe(
      Flag.withDescription("The server of its database (`parley servers list`; default: the platform's own)"),
      Flag.withDefault(platformServer),
    ),
    asJson,
    isDryRun,
  },
  Effect.fnUntraced(function* ({ asJson, isDryRun, name, server, slug, ...caps }) {
    const account = { ...accountDefaults, ...caps, slug, name: name ?? inWords(slug) }
    const platform = yield* PlatformDatabase
    const [taken] = yield* platform`select from accounts where slug = ${slug}`
    if (taken !== undefined || slug === platformAdmin) {
      return yield* new NameTaken({ resource: "account", name: slug })
    }
    const target = server === platformServer ? null : server
    if (target !== null) {
      yield* DatabaseServers.use(({ find }) => find(target))
      if (yield* EarlierRelease.isWithoutServers) {
        return yield* new Refused({
          why: "A process of an earlier release runs, which knows only the platform's own server. Repeat the command after the upgrade.",
        })
      }
    }
    if (isDryRun) return yield* Console.log(`Would create the account ${slug} with a database and a role of its own.`)
    const { database, id } = yield* Provisioning.use((provisioning) => provisioning.create(account, target))
    if (asJson) return yield* printJson({ id, slug, database })
    yield* Console.log(`Created the account ${slug} in the database ${database}.`)
  }),
).pipe(
  Command.withDescription(
    "Creates an account with a database and a role of its own. Its members are added over the API, or by the claims of their tokens.",
  ),
  Command.withExamples([{ command: "parley accounts create acme --concurrent-max 20 --time-zone Europe/Berlin" }]),
)

const remove = Command.make(
  "delete",
  {
    slug,
    isSure: Flag.Boolean("yes").pipe(
      Flag.withDescription("Delete without asking: the data cannot be brought back without a backup"),
      Flag.withDefault(false),
    ),
    isDryRun,
  },
  Effect.fnUntraced(function* ({ isDryRun, isSure, slug }) {
    const row = (yield* AccountRows.read).find((each) => each.slug === slug)
    if (row === undefined) return yield* new AccountNotFound({ slug })
    const what = `the account ${slug} with its database ${row.database}${row.bytes === null ? "" : ` (${bytes(row.bytes)})`}, its role and its members`
    if (isDryRun) {
      return yield* Console.log(
        row.busy === true && row.status !== "deleting"
          ? `Would refuse to delete ${what}: a campaign runs in it, or a call is in progress.`
          : `Would delete ${what}.`,
      )
    }
    if (!isSure)
      return yield* new Refused({ why: `This would delete ${what}, for ever. Repeat the command with --yes.` })
    yield* Provisioning.use((provisioning) => provisioning.drop(slug))
    const platform = yield* PlatformDatabase
    const [left] = yield* platform`select from accounts where slug = ${slug}`
    if (left !== undefined) {
      return yield* new Refused({
        why: `The account ${slug} is deleted for its members, but ${row.database} could not be dropped yet; the reason is in the line above. Run the command again, or let a running Parley finish it.`,
      })
    }
    yield* Console.log(`Deleted ${what}.`)
  }),
).pipe(
  Command.withDescription(
    "Deletes an account with its database and its role. Refused while a campaign runs in it or a call is in progress. Recordings are deleted by the next running Parley.",
  ),
)

const resume = Command.make(
  "resume",
  {
    slugs: Argument.String("slug").pipe(
      Argument.withDescription("The restored accounts that may dial again"),
      Argument.withSchema(AccountSlug),
      Argument.variadic({ min: 0 }),
    ),
    isAll: Flag.Boolean("all").pipe(Flag.withDescription("Resume every restored account"), Flag.withDefault(false)),
    isDryRun,
  },
  Effect.fnUntraced(function* ({ isAll, isDryRun, slugs }) {
    if (isAll === slugs.length > 0) {
      return yield* new Refused({
        why: "Name the accounts, or say --all. `parley accounts list` shows which are restored.",
      })
    }
    const rows = yield* AccountRows.read
    for (const slug of slugs) {
      const row = rows.find((each) => each.slug === slug)
      if (row === undefined) return yield* new AccountNotFound({ slug })
      if (row.status !== "restored") {
        return yield* new Refused({ why: `The account ${slug} is ${row.status}, not restored. Nothing was changed.` })
      }
    }
    const chosen = rows.filter(({ slug, status }) =>
      isAll ? status === "restored" : slugs.some((one) => one === slug),
    )
    if (chosen.length === 0) return yield* Console.log("No account is restored.")
    for (const { slug } of chosen) {
      if (isDryRun) yield* Console.log(`Would set ${slug} to active: it would dial again.`)
      else {
        // Another administrator may have suspended it meanwhile.
        yield* Provisioning.use((provisioning) =>
          provisioning.update(slug, ({ account }) =>
            Effect.succeed(account.status === "restored" ? { ...account, status: "active" } : account),
          ),
        )
        yield* Console.log(`Resumed ${slug}: it dials again within seconds.`)
      }
    }
  }),
).pipe(
  Command.withDescription(
    "Sets accounts that were restored from a backup to active. First stop their campaigns, or list the people who were called since the backup: they may be called again.",
  ),
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Lists, creates, moves, deletes and resumes accounts. Parley may run meanwhile, or not."),
  Command.withSubcommands([list, create, remove, resume, moveToServer, exportToFile, importFromFile]),
  Command.provide(Layer.merge(Installation.layer, recordings)),
)
