/**
 * The two steps before an account's database is dropped: the deletion begins, and it is decided. Two databases have no
 * common commit, so each step is recorded in the platform's database, and any process can take the next one.
 */
import { Effect } from "effect"
import { InUse } from "../domain/Refusals.ts"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import * as AuditTrail from "./AuditTrail.ts"
import type { Whereabouts } from "./DatabaseServers.ts"
import { keepOpen } from "./OpenTransaction.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

export interface Deletion extends Whereabouts {
  readonly id: string
  readonly slug: string
}

interface Step {
  readonly slug: string
  readonly is_begun: boolean
  readonly is_decided: boolean
}

const moving = new InUse({
  resource: "account",
  detail: "The account is being moved to another PostgreSQL server. Finish or abandon the move first.",
})

export const make = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const databases = yield* AccountDatabases
  const directory = yield* AccountDirectory

  const takeBack = Effect.fnUntraced(function* (id: string) {
    yield* sql`
      delete from audit_entries a using accounts c
      where c.id = ${id} and a.account = c.slug and a.action = 'account.delete' and a.at >= c.deletion_began_at`
    yield* sql`update accounts set deletion_began_at = null where id = ${id}`
  })

  return {
    /**
     * Records that the account is about to be deleted, and writes the entry of the audit log, whose actor another
     * process would not know. Must be committed before `decide`. Undefined if there is no such account. Fails while the
     * account moves to another server: a move begins under the same lock of the account's row.
     */
    begin: Effect.fnUntraced(function* (id: string) {
      yield* sql`select from accounts where id = ${id} for no key update`
      if ((yield* sql`select from account_moves where account_id = ${id}`).length > 0) return yield* moving
      const [begun] = yield* sql<{ readonly slug: string; readonly name: string }>`
        update accounts set deletion_began_at = clock_timestamp()
        where id = ${id} and deleting_at is null and deletion_began_at is null returning slug, name`
      if (begun !== undefined) {
        const { name, slug } = begun
        const fields = { account: slug, object_id: slug, object_name: name }
        yield* AuditTrail.writeToPlatform(sql, { action: "account.delete", ...fields })
      }
      const [row] = yield* sql<Deletion>`select server, database, id, slug from accounts where id = ${id}`
      return row
    }),
    /**
     * Closes the account's database to new calls and hides the account from everyone; or, if a call or a campaign of it
     * runs, takes the deletion back. Returns whether the account is deleted. The transaction holds the lock of the
     * database's name.
     */
    decide: Effect.fnUntraced(function* ({ database, id, server }: Deletion) {
      const [row] = yield* sql<Step>`
        select slug, deletion_began_at is not null as is_begun, deleting_at is not null as is_decided
        from accounts where id = ${id}`
      if (row === undefined || row.is_decided) return true
      // Another process has decided it, and found a call.
      if (!row.is_begun) return false
      if (!(yield* keepOpen(Effect.flatMap(databases.on(server), ({ close }) => close(database))))) {
        yield* takeBack(id)
        return false
      }
      yield* sql`update accounts set deleting_at = now() where id = ${id}`
      yield* sql.afterCommit(directory.forget(row.slug))
      return true
    }),
  }
})
