/**
 * Finds accounts, with the database, the login role and the data key of each. `Provisioning` creates, changes and drops
 * them.
 */
import { Cache, Context, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import type { Statement } from "effect/sql"
import { createHmac, randomBytes } from "node:crypto"
import { Account, AccountNotFound, type AccountSlug } from "../domain/Account.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Login } from "./DatabaseServer.ts"
import { amountFrom } from "./AmountText.ts"
import { Cell } from "./Cell.ts"
import { MasterKey } from "./MasterKey.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { readable } from "./ReadableRows.ts"
import * as Rows from "./Rows.ts"

/** An account, with the fields that only the platform's database has. */
export interface AccountEntry {
  readonly id: string
  readonly account: Account
  readonly revision: number
  /** The server of the account's database; null for the platform's own. */
  readonly server: string | null
  readonly database: string
  /** While the account moves to another server: `draining` begins no call, and `away` cannot be opened. */
  readonly moving: "draining" | "away" | null
  /** False if `PARLEY_ENCRYPTION_KEY` does not open the account's data key: then the account cannot be used. */
  readonly isReadable: boolean
  /** If the account is not readable, `dataKey` is random, and so is the password of `login`. */
  readonly login: Login
  readonly dataKey: Uint8Array
  readonly schemaVersion: number
  /** The newest migration that a release must know to use the account (`migrations/platform`, `serves_from`). */
  readonly servesFrom: number
}

const Row = Schema.toType(
  Schema.Struct({
    ...Account.fields,
    id: Schema.String,
    server: Schema.NullOr(Schema.String),
    database: Schema.String,
    moving: Schema.NullOr(Schema.Literals(["draining", "away"])),
    data_key: Schema.Uint8Array,
    schema_version: Schema.Int,
    serves_from: Schema.Int,
    revision: Schema.Int,
  }),
)

const Listed = Schema.Struct({ slug: Account.fields.slug, name: Account.fields.name })

/**
 * How long an account is cached. A change by another process is seen within this time; a change by this process at once
 * (`forget`).
 */
export const staleAfter = "5 seconds"
/** How long an account that moves to another server is cached: it is back at most this long after the move. */
const movingAfter = "200 millis"
/** How long an unknown slug is cached: guessing costs at most one query a second for each slug. */
const unknownAfter = "1 second"

/** The most accounts that a login page lists. */
const shownAtMost = 1000

export class AccountDirectory extends Context.Service<
  AccountDirectory,
  {
    readonly find: (slug: string) => Effect.Effect<AccountEntry, AccountNotFound>
    readonly findById: (id: string) => Effect.Effect<Option.Option<AccountEntry>>
    /** For administrators: newest first. */
    readonly page: (request: PageRequest) => Effect.Effect<Page<AccountEntry>>
    /** The accounts that a login page may show before sign-in, by slug. */
    readonly discoverable: Effect.Effect<ReadonlyArray<Pick<Account, "slug" | "name">>>
    /** Every account, oldest first: for the `parley` command, never for a process that serves. */
    readonly all: Effect.Effect<ReadonlyArray<AccountEntry>>
    /** For work that no request asked for: none if the account was deleted, or if another cell serves it. */
    readonly findServed: (slug: string) => Effect.Effect<Option.Option<AccountEntry>>
    /** Like `all`, without the accounts that another cell serves. */
    readonly allServed: Effect.Effect<ReadonlyArray<AccountEntry>>
    /** The slugs of the accounts that this process serves. */
    readonly slugsServed: Effect.Effect<ReadonlyArray<AccountSlug>>
    /** Drops the cached entry of an account after a change. */
    readonly forget: (slug: string) => Effect.Effect<void>
  }
>()("tenancy/AccountDirectory") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const master = yield* MasterKey
      const cell = yield* Cell

      const rows = (where: Statement.Fragment, order: Statement.Fragment = sql`created_at, id`) => sql`
        select id, slug, name, server, database, moving, data_key, concurrent_max, calls_per_minute, calls_per_day,
               ${sql.literal(amountFrom("daily_spend_cap"))} as daily_spend_cap, time_zone,
               calling_window, consent_days, transcript_days, recording_days, call_days, event_days, audit_days, discoverable,
               status, schema_version, serves_from, revision, created_at
        from accounts a where deleting_at is null and ${where} order by ${order}`
      const select = (where: Statement.Fragment) =>
        Rows.first(Row)(rows(where)).pipe(
          Effect.orDie,
          Effect.map((found) => (found === undefined ? undefined : entryFrom(found, master))),
        )
      const list = (where: Statement.Fragment, order?: Statement.Fragment) =>
        rows(where, order).pipe(
          Effect.flatMap(readable(Row)),
          Effect.orDie,
          Effect.map((found) => found.map((row) => entryFrom(row, master))),
        )

      const listed = sql`
        select slug, name from accounts where discoverable and status <> 'suspended' and deleting_at is null order by slug limit ${shownAtMost}`.pipe(
        Effect.flatMap(readable(Listed)),
        Effect.orDie,
      )

      const bySlug = yield* Cache.makeWith(
        Effect.fnUntraced(function* (slug: string) {
          const found = yield* select(sql`slug = ${slug}`)
          return found === undefined ? yield* new AccountNotFound({ slug }) : found
        }),
        { capacity: 10_000, timeToLive },
      )

      return {
        find: (slug) => Cache.get(bySlug, slug),
        findById: (id) => Effect.map(select(sql`id = ${id}`), Option.fromUndefinedOr),
        page: Effect.fnUntraced(function* ({ page, page_size }) {
          const [counted] = yield* Effect.orDie(
            sql`select count(*)::int as total from accounts where deleting_at is null`,
          )
          const part = sql`created_at desc, id desc limit ${page_size} offset ${page * page_size}`
          return { items: yield* list(sql`true`, part), page, page_size, total: Number(counted?.["total"]) }
        }),
        discoverable: listed,
        all: list(sql`true`),
        findServed: (slug) =>
          Effect.map(
            Effect.option(Cache.get(bySlug, slug)),
            Option.filter(({ server }) => cell.serves(server)),
          ),
        allServed: list(cell.isServed(sql)),
        slugsServed: sql<{ readonly slug: AccountSlug }>`
          select slug from accounts a where deleting_at is null and ${cell.isServed(sql)}`.pipe(
          Effect.map((found) => found.map(({ slug }) => slug)),
          Effect.orDie,
        ),
        forget: (slug) => Cache.invalidate(bySlug, slug),
      }
    }),
  )
}

const timeToLive = (exit: Exit.Exit<AccountEntry, AccountNotFound>) => {
  if (Exit.isFailure(exit)) return unknownAfter
  return exit.value.moving === null ? staleAfter : movingAfter
}

const entryFrom = (
  { id, server, database, moving, data_key, schema_version, serves_from, revision, ...account }: typeof Row.Type,
  master: MasterKey["Service"],
): AccountEntry => {
  const opened = Result.try(() => master.unwrap(id, data_key))
  const isReadable = Result.isSuccess(opened)
  // Random and not a constant, because the tokens of widget sessions are signed with this key.
  const dataKey = isReadable ? opened.success : randomBytes(32)
  const login = loginOf(database, dataKey)
  return {
    id,
    account,
    revision,
    server,
    database,
    moving,
    isReadable,
    login,
    dataKey,
    schemaVersion: schema_version,
    servesFrom: serves_from,
  }
}

/**
 * The account's login role has the name of its database. Its password is derived from the data key, so it is not
 * stored.
 */
export const loginOf = (database: string, dataKey: Uint8Array): Login => ({
  role: database,
  password: createHmac("sha256", dataKey).update("login-role").digest("base64url"),
})
