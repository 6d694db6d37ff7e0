/**
 * The platform's membership table: the members of each account in addition to those that tokens claim (decisions §3).
 */
import { Cache, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { toComparable } from "../domain/EmailAddress.ts"
import { Role } from "../domain/Account.ts"
import type { AuditAction } from "../domain/AuditActions.ts"
import type { AuditChange } from "../domain/AuditEntry.ts"
import { Member, type Named } from "../domain/Member.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { highest, type Identity } from "../domain/Principal.ts"
import { NotFound } from "../domain/Refusals.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { capture } from "../tenancy/Capture.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"

/**
 * How long roles are cached, since every request asks for one. A change by another process is seen after this time, one
 * by this process at once.
 */
const staleAfter = "5 seconds"

const Row = Schema.toType(Member)
const PutRow = Schema.toType(Schema.Struct({ ...Member.fields, created: Schema.Boolean }))
const RoleRow = Schema.Struct({ role: Role })
const Opened = Schema.Struct({ slug: Schema.String, name: Schema.String, role: Role })

export class Memberships extends Context.Service<
  Memberships,
  {
    /** The highest role by the token's claims and by the table; undefined if the person is not a member. */
    readonly roleOf: (
      person: Identity,
      account: { readonly id: string; readonly slug: string },
    ) => Effect.Effect<Role | undefined>
    /**
     * The accounts that the person may open, by claim or by table, in the order of their slugs. Suspended accounts and
     * those that are being deleted are left out.
     */
    readonly accountsOf: (person: Identity) => Effect.Effect<ReadonlyArray<typeof Opened.Type>>
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<Page<Member>>
    /** Adds a member, or changes the role of an existing one; `created` says which. */
    readonly put: (
      account_id: string,
      named: Named,
      role: Role,
    ) => Effect.Effect<{ readonly member: Member; readonly created: boolean }>
    readonly remove: (account_id: string, named: Named) => Effect.Effect<void, NotFound>
  }
>()("identity/Memberships") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const provide = yield* capture(PlatformDatabase)

      const inPlatform = <A, E>(change: Effect.Effect<A, E, PlatformDatabase | SqlClient.SqlClient>) =>
        Effect.orDie(provide(Effect.provideService(transaction(change), SqlClient.SqlClient, sql)))

      const storedRoles = yield* makeStoredRoles(sql)

      const roleOf: Memberships["Service"]["roleOf"] = Effect.fnUntraced(function* (person, account) {
        const claimed = person.claimed.filter(({ slug }) => slug === account.slug).map(({ role }) => role)
        if (claimed.includes("owner")) return "owner"
        const { email, issuer, subject } = nameOf(person)
        const role = yield* Cache.get(storedRoles, JSON.stringify([account.id, issuer, subject, email]))
        return role === undefined ? highest(claimed) : highest([...claimed, role])
      })

      const put = Effect.fn("Memberships.put")(function* (account_id: string, named: Named, role: Role) {
        const row = { id: uuidv7(), account_id, ...columnsOf(named), role }
        const { created, ...member } = yield* Rows.one(PutRow)(sql`
          insert into memberships ${sql.insert(row)}
          on conflict (account_id, issuer, subject, email) do update set role = excluded.role
          returning email, issuer, subject, role, created_at, id = ${row.id} as created`).pipe(
          Effect.tap(record("member.put", account_id, named, [{ field: "role", after: role }])),
          inPlatform,
        )
        yield* sql.afterCommit(Cache.invalidateAll(storedRoles))
        return { member, created }
      })

      const remove = Effect.fn("Memberships.remove")(function* (account_id: string, named: Named) {
        const { email, issuer, subject } = columnsOf(named)
        const removed = yield* sql`
          delete from memberships
          where account_id = ${account_id} and email is not distinct from ${email}::text
            and issuer is not distinct from ${issuer}::text and subject is not distinct from ${subject}::text
          returning id`.pipe(
          Effect.tap((removed) => (removed.length === 0 ? Effect.void : record("member.remove", account_id, named))),
          inPlatform,
        )
        if (removed.length === 0)
          return yield* new NotFound({ resource: "member", id: email ?? `${issuer}#${subject}` })
        yield* sql.afterCommit(Cache.invalidateAll(storedRoles))
      })

      return {
        roleOf,
        accountsOf: (person) => provide(accountsOf(person)),
        list: (account_id, page) => provide(list(account_id, page)),
        put,
        remove,
      }
    }),
  )
}

/**
 * The highest role that the table gives a person in an account. The key is JSON of the account's id and the person's name.
 */
const makeStoredRoles = (sql: PlatformDatabase["Service"]) =>
  Cache.makeWith(
    (key: string) => {
      const [account_id, ...name] = JSON.parse(key) as [string, string, string, string | null]
      const statement = sql`
        select m.role from memberships m
        where m.account_id = ${account_id} and ${isNamed(sql, { issuer: name[0], subject: name[1], email: name[2] })}`
      return Rows.all(RoleRow)(statement).pipe(
        Effect.orDie,
        Effect.map((found) => highest(found.map(({ role }) => role))),
      )
    },
    { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? staleAfter : 0) },
  )

/** Records a change in both audit logs: in the account's entry for the request, and in the installation's log. */
const record = Effect.fnUntraced(function* (
  action: AuditAction,
  account_id: string,
  named: Named,
  changes: ReadonlyArray<AuditChange> = [],
) {
  const sql = yield* PlatformDatabase
  const object_id = "email" in named ? named.email : `${named.issuer}#${named.subject}`
  const [account] = yield* sql<{ readonly slug: string }>`select slug from accounts where id = ${account_id}`
  yield* AuditTrail.writeToPlatform(sql, { action, account: account?.slug ?? null, object_id, changes })
  yield* AuditTrail.writeToAccount({ id: object_id, changes })
})

const accountsOf = Effect.fn("Memberships.accountsOf")(function* (person: Identity) {
  const sql = yield* PlatformDatabase
  const slugs = person.claimed.map(({ slug }) => slug)
  const roles = person.claimed.map(({ role }) => role)
  const found = yield* Rows.all(Opened)(sql`
    select a.slug, a.name, g.role from accounts a join (
      select m.account_id, m.role from memberships m where ${isNamed(sql, nameOf(person))}
      union all
      select a.id, c.role from unnest(${slugs}::text[], ${roles}::text[]) c (slug, role)
        join accounts a using (slug)
    ) g on g.account_id = a.id
    where a.status <> 'suspended' and a.deleting_at is null order by a.slug`).pipe(Effect.orDie)
  return [...Map.groupBy(found, ({ slug }) => slug).values()].flatMap((same) => {
    const role = highest(same.map((row) => row.role))
    return role === undefined ? [] : same.slice(0, 1).map((row) => ({ ...row, role }))
  })
})

const list = Effect.fn("Memberships.list")(function* (account_id: string, { page, page_size }: PageRequest) {
  const sql = yield* PlatformDatabase
  const [counted] = yield* Effect.orDie(
    sql`select count(*)::int as total from memberships where account_id = ${account_id}`,
  )
  const items = yield* sql`
    select email, issuer, subject, role, created_at from memberships where account_id = ${account_id}
    order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`.pipe(
    Effect.flatMap(readable(Row)),
    Effect.orDie,
  )
  return { items, page, page_size, total: Number(counted?.["total"]) }
})

/** The names by which a person may be listed in the table. */
interface Name {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
}

const isNamed = (sql: SqlClient.SqlClient, { email, issuer, subject }: Name) =>
  sql`((m.issuer = ${issuer} and m.subject = ${subject}) or m.email = ${email}::text)`

/** An email counts only when the provider vouches for it. */
const nameOf = ({ email, email_verified, issuer, subject }: Identity): Name => ({
  issuer,
  subject,
  email: email_verified ? email : null,
})

const columnsOf = (named: Named) =>
  "email" in named
    ? { email: toComparable(named.email), issuer: null, subject: null }
    : { email: null, issuer: named.issuer, subject: named.subject }
