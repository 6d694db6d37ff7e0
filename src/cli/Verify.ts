/**
 * `parley verify`: checks the promises about dialling (docs/promises.md) on the rows of every account. Writes nothing.
 */
import { Console, Context, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { readersPool } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as Installation from "./Installation.ts"
import { hasOldCaps } from "./Caps.ts"
import * as Invariants from "./Invariants.ts"
import { asJson, printJson, Refused } from "./Output.ts"

/** Databases that are checked at the same time, each over one connection. */
const atOnce = 2

/**
 * The number of checks of an account: `Invariants`, the placement of its campaigns, the release of its functions, and
 * its caps.
 */
const checks = Invariants.all.length + 3

interface Violation {
  readonly account: string
  /** `I1` … `I18` of docs/promises.md, `log` of events, `schema`, or `unreadable`: the account could not be checked. */
  readonly promise: string
  readonly says: string
  /** Ids of some of the rows. */
  readonly evidence: ReadonlyArray<string>
}

/** Finds campaigns that have to be dialled and are missing in the placement, so that no process would find them. */
const findUnplaced = Effect.fnUntraced(function* ({ id }: AccountEntry) {
  const sql = yield* SqlClient.SqlClient
  const platform = yield* PlatformDatabase
  const due = Effect.map(sql<{ id: string }>`${sql.unsafe(Invariants.campaignsToDial)}`, (rows) =>
    rows.map((row) => row.id),
  )
  const before = yield* due
  const placed = yield* platform<{ id: string }>`select campaign_id as id from dialling where account_id = ${id}`
  const missing = before.filter((campaign) => !placed.some((row) => row.id === campaign))
  if (missing.length === 0) return []
  // A campaign that ended meanwhile has correctly lost its row.
  const after = new Set(yield* due)
  return missing.filter((campaign) => after.has(campaign))
})

const checkOne = Effect.fnUntraced(
  function* (entry: AccountEntry) {
    const account = entry.account.slug
    const url = yield* DatabaseServers.use(({ urlOf }) => urlOf(entry))
    const sql = yield* Layer.build(
      readersPool({ url, name: `parley:verify:${entry.database}`, maxConnections: 1 }),
    ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
    if (entry.schemaVersion < Migrations.newestOfTenant) {
      const says = `the schema is ${entry.schemaVersion} instead of ${Migrations.newestOfTenant}, so nothing else was checked; run \`parley repair\``
      return [{ account, promise: "schema", says, evidence: [] }]
    }
    const found: Array<Violation> = []
    const check = Effect.gen(function* () {
      // All checks see the rows of one moment.
      yield* sql`set transaction isolation level repeatable read`
      for (const { promise, query, says } of Invariants.all) {
        const rows = yield* sql.unsafe<{ evidence: string }>(`${query} limit ${Invariants.shownAtMost}`)
        if (rows.length > 0) found.push({ account, promise, says, evidence: rows.map(({ evidence }) => evidence) })
      }
    })
    yield* transaction(check).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    const foreign = yield* Migrations.foreignFunctions(sql)
    if (foreign.length > 0) {
      const says = "functions of the database are not those of this release"
      found.push({ account, promise: "schema", says, evidence: foreign })
    }
    const lost = yield* findUnplaced(entry).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    if (lost.length > 0) {
      const says = "a campaign that has to be dialled is known to no process"
      found.push({ account, promise: "I13", says, evidence: lost.slice(0, Invariants.shownAtMost) })
    }
    if (yield* hasOldCaps(entry)) {
      const says = "the account's caps did not reach its database; run `parley repair`"
      found.push({ account, promise: "I3", says, evidence: [] })
    }
    return found
  },
  Effect.scoped,
  (checking, { account: { slug } }) =>
    Effect.catchTag(checking, "SqlError", ({ reason }): Effect.Effect<Array<Violation>> =>
      Effect.succeed([
        {
          account: slug,
          promise: "unreadable",
          says: `the account could not be checked: ${reason.cause instanceof Error ? reason.cause.message : reason.message}`,
          evidence: [],
        },
      ]),
    ),
)

export const verify = Command.make(
  "verify",
  {
    account: Flag.String("account").pipe(Flag.withDescription("Check this account alone"), Flag.optional),
    asJson,
  },
  Effect.fnUntraced(function* ({ account, asJson }) {
    const directory = yield* AccountDirectory
    const entries = Option.isSome(account) ? [yield* directory.find(account.value)] : yield* directory.all
    const found = (yield* Effect.forEach(entries, checkOne, { concurrency: atOnce })).flat()
    if (asJson) yield* printJson({ accounts: entries.length, checks, violations: found })
    else {
      yield* Effect.forEach(
        found,
        ({ account, evidence, promise, says }) =>
          Console.log(`${account} ${promise}: ${says}${evidence.length === 0 ? "" : `: ${evidence.join(", ")}`}`),
        { discard: true },
      )
      if (found.length === 0) {
        yield* Console.log(`Accounts checked: ${entries.length}. Each keeps its promises (${checks} checks).`)
      }
    }
    if (found.length > 0) {
      return yield* new Refused({ why: `Violations: ${found.length}. docs/promises.md says what they mean.` })
    }
  }),
).pipe(
  Command.withDescription(
    "Checks the rows of every account against the promises about dialling: no double call, no lost contact, every slot given back, every decision recorded. Read-only; Parley may run meanwhile. Exits with 1 if one is broken.",
  ),
  Command.provide(Installation.layer),
)
