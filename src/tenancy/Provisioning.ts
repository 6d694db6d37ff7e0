/**
 * Creates, changes and drops accounts. An account is a row of the platform's
 * directory and a separate database; each operation here keeps the two consistent.
 */
import { Context, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import { type Account, AccountElsewhere, AccountNotFound } from "../domain/Account.ts"
import type { AuditChange } from "../domain/AuditEntry.ts"
import { InUse, NameTaken } from "../domain/Refusals.ts"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory, type AccountEntry, loginOf } from "./AccountDirectory.ts"
import * as AuditTrail from "./AuditTrail.ts"
import { Cell, cellOf } from "./Cell.ts"
import { capture } from "./Capture.ts"
import { DatabaseServer } from "./DatabaseServer.ts"
import { json } from "./Json.ts"
import { MasterKey } from "./MasterKey.ts"
import * as Migrations from "./Migrations.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { sqlState } from "./SqlState.ts"
import { transaction } from "./Transaction.ts"
import { UnfinishedAccounts } from "./UnfinishedAccounts.ts"

export type NewAccount = Omit<Account, "created_at">

/** What an account brings along from the installation that exported it. */
export interface Adoption<E> {
  readonly id: string
  readonly dataKey: Uint8Array
  readonly schemaVersion: number
  /** Writes the rows into an empty database of that schema, as the server's owner. */
  readonly fill: Effect.Effect<void, E, SqlClient.SqlClient>
  /** Verifies the rows once the schema is the newest, as the server's owner. */
  readonly check: Effect.Effect<void, E, SqlClient.SqlClient>
  /**
   * Writes the account's other rows in the platform's database, in the transaction that writes the row of `accounts`.
   */
  readonly join: Effect.Effect<void, E>
  /** Removes what `fill` wrote outside of the database, if a later step fails. */
  readonly abandon: Effect.Effect<void>
}

/** How long an import may take: millions of calls take hours. */
const adoptionSeconds = 86_400

export class Provisioning extends Context.Service<
  Provisioning,
  {
    /**
     * `server`: the name of a registered server (DatabaseServers), or null for the platform's own; by default, the one of
     * this cell.
     */
    readonly create: (account: NewAccount, server?: string | null) => Effect.Effect<AccountEntry, NameTaken>
    /**
     * Creates an account from what another installation exported. The account does not exist until all steps are done.
     * If the process is killed, what is left is dropped as after `create`.
     */
    readonly adopt: <E>(
      account: Account,
      adoption: Adoption<E>,
    ) => Effect.Effect<AccountEntry, NameTaken | InUse | E | Effect.Error<ReturnType<typeof Migrations.run>>>
    /**
     * Changes settings and copies the caps into the account's own database, where dialling reads them. Fails if another
     * cell serves the account.
     */
    readonly update: <E>(
      slug: string,
      change: (present: AccountEntry) => Effect.Effect<Account, E>,
    ) => Effect.Effect<AccountEntry, AccountNotFound | AccountElsewhere | E>
    /**
     * Drops the account's database, role and directory row. Refused while a call or a campaign of the account runs, and if
     * another cell serves the account.
     */
    readonly drop: (slug: string) => Effect.Effect<void, AccountNotFound | AccountElsewhere | InUse>
  }
>()("tenancy/Provisioning") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const cell = yield* Cell
      const refuseElsewhere = (slug: string, server: string | null) =>
        cell.serves(server) ? Effect.void : new AccountElsewhere({ slug, cell: cellOf(server) })
      const provide = yield* capture(
        DatabaseServer,
        PlatformDatabase,
        AccountDirectory,
        AccountDatabases,
        UnfinishedAccounts,
        MasterKey,
      )
      return {
        create: (account, server) => provide(create(account, server === undefined ? cell.server : server)),
        adopt: (account, adoption) => provide(adopt(account, adoption)),
        update: (slug, change) =>
          provide(update(slug, (present) => Effect.andThen(refuseElsewhere(slug, present.server), change(present)))),
        drop: (slug) => provide(drop(slug, refuseElsewhere)),
      }
    }),
  )
}

const create = Effect.fn("Provisioning.create")(
  function* (account: NewAccount, server: string | null) {
    const platform = yield* PlatformDatabase
    const directory = yield* AccountDirectory
    const databases = yield* (yield* AccountDatabases).on(server)
    const { platformDatabase } = yield* DatabaseServer
    const master = yield* MasterKey
    const unfinished = yield* UnfinishedAccounts
    const [taken] = yield* platform`select from accounts where slug = ${account.slug}`
    if (taken !== undefined) return yield* new NameTaken({ resource: "account", name: account.slug })
    const id = uuidv7()
    const database = databaseOf(platformDatabase, id)
    const dataKey = randomBytes(32)
    const row = { ...account, calling_window: json(account.calling_window), id, server, database }
    const make = Effect.gen(function* () {
      yield* databases.create(loginOf(database, dataKey))
      yield* databases.copyCaps(database, account)
      yield* platform`insert into accounts ${platform.insert({
        ...row,
        data_key: master.wrap(id, dataKey),
        schema_version: Migrations.newestOfTenant,
        serves_from: Migrations.servesFrom,
      })}`
      const { slug, name } = account
      yield* AuditTrail.writeToPlatform(platform, {
        action: "account.create",
        account: slug,
        object_id: slug,
        object_name: name,
      })
    })
    yield* unfinished
      .create({ server, database }, make)
      .pipe(
        Effect.catchReason(
          "SqlError",
          "UniqueViolation",
          () => new NameTaken({ resource: "account", name: account.slug }),
        ),
      )
    yield* directory.forget(account.slug)
    return yield* Effect.orDie(directory.find(account.slug))
  },
  Effect.catchTag("SqlError", Effect.die),
)

const databaseOf = (platformDatabase: string, id: string) => `${platformDatabase}_${id.replaceAll("-", "").slice(-16)}`

const adopt = Effect.fn("Provisioning.adopt")(function* <E>(account: Account, adoption: Adoption<E>) {
  const platform = yield* PlatformDatabase
  const directory = yield* AccountDirectory
  const databases = yield* (yield* AccountDatabases).on(null)
  const { platformDatabase } = yield* DatabaseServer
  const master = yield* MasterKey
  const unfinished = yield* UnfinishedAccounts
  const { dataKey, id } = adoption
  const { slug } = account
  const [taken] = yield* platform`select from accounts where slug = ${slug} or id = ${id}`
  if (taken !== undefined) return yield* new NameTaken({ resource: "account", name: slug })
  // Not derived from the account's id: a killed process may have left a database of that name, which is not dropped
  // yet.
  const database = databaseOf(platformDatabase, uuidv7())
  const make = Effect.gen(function* () {
    // Otherwise its recordings would be deleted as those of a deleted account. Before the first of them is written: the
    // sweep of deleted accounts passes over the row while it is locked here, and this waits for a sweep at work.
    yield* platform`delete from deleted_accounts where id = ${id}`.pipe(
      Effect.catchReason("SqlError", "LockTimeoutError", () => beingSwept),
    )
    yield* databases.createFilled(loginOf(database, dataKey), adoption)
    yield* databases.copyCaps(database, account)
    yield* platform`insert into accounts ${platform.insert({
      ...account,
      calling_window: json(account.calling_window),
      id,
      database,
      data_key: master.wrap(id, dataKey),
      schema_version: Migrations.newestOfTenant,
      serves_from: Migrations.servesFrom,
    })}`.pipe(
      Effect.catchReason("SqlError", "UniqueViolation", () => new NameTaken({ resource: "account", name: slug })),
    )
    const fields = { account: slug, object_id: slug, object_name: account.name }
    yield* AuditTrail.writeToPlatform(platform, { action: "account.import", ...fields })
    yield* adoption.join
  }).pipe(Effect.onError(() => adoption.abandon))
  // Locked until the transaction ends: a second import would write into the same folder of recordings.
  const alone = Effect.gen(function* () {
    const [lock] = yield* platform<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`adopt ${id}`}, 0)) as taken`
    if (lock?.taken !== true) {
      return yield* new InUse({ resource: "account", detail: "Another process is importing this account." })
    }
    yield* make
  })
  yield* unfinished.create({ server: null, database }, alone, adoptionSeconds)
  yield* directory.forget(slug)
  return yield* Effect.orDie(directory.find(slug))
})

const beingSwept = new InUse({
  resource: "account",
  detail: "The recordings of the deleted account of this id are being deleted. Try again in a minute.",
})

/** `change` gets the present settings. If another change was committed in between, it is called again. */
const update = Effect.fn("Provisioning.update")(function* <E>(
  slug: string,
  change: (present: AccountEntry) => Effect.Effect<Account, E>,
) {
  const platform = yield* PlatformDatabase
  const directory = yield* AccountDirectory
  const databases = yield* AccountDatabases
  while (true) {
    yield* directory.forget(slug)
    const present = yield* directory.find(slug)
    const { slug: _, created_at: __, ...settings } = yield* change(present)
    const row = { ...settings, calling_window: json(settings.calling_window) }
    const changes = differences(present.account, settings)
    const fields = { object_id: slug, object_name: settings.name, changes }
    const changed = yield* Effect.gen(function* () {
      const changed = yield* platform`
        update accounts set ${platform.update(row)}, revision = revision + 1, updated_at = now()
        where id = ${present.id} and revision = ${present.revision} returning id`
      if (changed.length > 0 && changes.length > 0) {
        yield* AuditTrail.writeToPlatform(platform, { action: "account.update", account: slug, ...fields })
        yield* AuditTrail.writeToAccount({ id: slug, name: settings.name, changes })
      }
      return changed
    }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, platform), Effect.orDie)
    if (changed.length === 0) continue
    yield* databases.on(present.server).pipe(
      Effect.flatMap(({ copyCaps }) => copyCaps(present.database, settings)),
      // An account without a database can be changed too. A later change copies the caps.
      Effect.catchTag("SqlError", (error) => (sqlState(error) === "3D000" ? Effect.void : Effect.die(error))),
    )
    yield* directory.forget(slug)
    return yield* directory.find(slug)
  }
})

/** The settings that differ, with their values: none of them is secret. */
const differences = (before: Account, after: Omit<Account, "slug" | "created_at">): ReadonlyArray<AuditChange> =>
  Struct.keys(after).flatMap((field) => {
    const [old, now] = [before[field], after[field]]
    if (JSON.stringify(old) === JSON.stringify(now)) return []
    return [{ field, ...(old === null ? {} : { before: old }), ...(now === null ? {} : { after: now }) }]
  })

const drop = Effect.fn("Provisioning.drop")(
  function* (
    slug: string,
    refuseElsewhere: (slug: string, server: string | null) => Effect.Effect<void, AccountElsewhere>,
  ) {
    const platform = yield* PlatformDatabase
    const unfinished = yield* UnfinishedAccounts
    const [found] = yield* platform<{ id: string; server: string | null }>`
      select id, server from accounts where slug = ${slug}`
    if (found === undefined) return yield* new AccountNotFound({ slug })
    yield* refuseElsewhere(slug, found.server)
    if (!(yield* unfinished.remove(found.id))) {
      return yield* new InUse({
        resource: "account",
        detail: `The account ${slug} has a running campaign or a call in progress. Stop them first.`,
      })
    }
  },
  Effect.catchTag("SqlError", Effect.die),
)
