/** The platform's membership table: who is let into which account, beside what tokens claim (decisions §3). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Role } from "../domain/Account.ts"
import { Member, type Named } from "../domain/Member.ts"
import type { PageRequest } from "../domain/Page.ts"
import { highest, type Identity } from "../domain/Principal.ts"
import { NotFound } from "../domain/Refusals.ts"

/** Every function here works on the platform's database; the layer of the room hands it over. */
const Row = Schema.toType(Member)
const RoleRow = Schema.Struct({ role: Role })
const OpenRow = Schema.Struct({ slug: Schema.String, name: Schema.String, role: Role })

/** Rows that name this person. An email counts only when the provider vouches for it. */
const naming = (sql: SqlClient.SqlClient, person: Identity) => {
  const email = person.email_verified ? person.email : null
  return sql`((m.issuer = ${person.issuer} and m.subject = ${person.subject}) or m.email = ${email}::text)`
}

/** The person's role in the account: the highest of what the token claims and what the table says. */
export const roleOf = Effect.fn("Memberships.roleOf")(function* (
  person: Identity,
  account: { readonly id: string; readonly slug: string },
) {
  const claimed = person.claimed.filter(({ slug }) => slug === account.slug).map(({ role }) => role)
  if (claimed.includes("owner")) return "owner"
  const sql = yield* SqlClient.SqlClient
  const rows = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: RoleRow,
    execute: () => sql`select m.role from memberships m where m.account_id = ${account.id} and ${naming(sql, person)}`,
  })()
  return highest([...claimed, ...rows.map(({ role }) => role)])
}, Effect.orDie)

/** The accounts that the person may open, by claim or by table, in the order of their slugs. */
export const accountsOf = Effect.fn("Memberships.accountsOf")(function* (person: Identity) {
  const sql = yield* SqlClient.SqlClient
  const slugs = person.claimed.map(({ slug }) => slug)
  const roles = person.claimed.map(({ role }) => role)
  const rows = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: OpenRow,
    execute: () => sql`
      select a.slug, a.name, g.role from accounts a join (
        select m.account_id, m.role from memberships m where ${naming(sql, person)}
        union all
        select a.id, c.role from unnest(${slugs}::text[], ${roles}::text[]) c (slug, role) join accounts a using (slug)
      ) g on g.account_id = a.id
      where a.status = 'active' order by a.slug`,
  })()
  return [...Map.groupBy(rows, ({ slug }) => slug).values()].flatMap((same) => {
    const role = highest(same.map((row) => row.role))
    return role === undefined || same[0] === undefined ? [] : [{ ...same[0], role }]
  })
}, Effect.orDie)

export const list = Effect.fn("Memberships.list")(function* (account_id: string, { page, page_size }: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql`select count(*)::int as total from memberships where account_id = ${account_id}`
  const items = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Row,
    execute: () => sql`
      select email, issuer, subject, role, created_at from memberships where account_id = ${account_id}
      order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`,
  })()
  return { items, page, page_size, total: Number(counted?.["total"]) }
}, Effect.orDie)

const columnsOf = (named: Named) =>
  "email" in named
    ? { email: named.email.toLowerCase(), issuer: null, subject: null }
    : { email: null, issuer: named.issuer, subject: named.subject }

/** Lets somebody in, or gives the one who is in another role; `created` tells which. */
export const put = Effect.fn("Memberships.put")(function* (account_id: string, named: Named, role: Role) {
  const sql = yield* SqlClient.SqlClient
  const row = { id: uuidv7(), account_id, ...columnsOf(named), role }
  const { created, ...member } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.toType(Schema.Struct({ ...Member.fields, created: Schema.Boolean })),
    execute: () => sql`
      insert into memberships ${sql.insert(row)}
      on conflict (account_id, issuer, subject, email) do update set role = excluded.role
      returning email, issuer, subject, role, created_at, id = ${row.id} as created`,
  })()
  return { member, created }
}, Effect.orDie)

export const remove = Effect.fn("Memberships.remove")(
  function* (account_id: string, named: Named) {
    const sql = yield* SqlClient.SqlClient
    const { email, issuer, subject } = columnsOf(named)
    const removed = yield* sql`
      delete from memberships
      where account_id = ${account_id} and email is not distinct from ${email}::text
        and issuer is not distinct from ${issuer}::text and subject is not distinct from ${subject}::text
      returning id`
    if (removed.length === 0) {
      return yield* new NotFound({ resource: "member", id: email ?? `${issuer}#${subject}` })
    }
  },
  Effect.catchTag("SqlError", Effect.die),
)
