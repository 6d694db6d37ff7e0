/**
 * Records which process registers which number at its trunk's server, and the result (platform database,
 * `inbound_numbers`). A dead process loses its numbers when its hold expires.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { Registered } from "../domain/Registered.ts"
import { Cell } from "./Cell.ts"
import { CurrentTenant } from "./CurrentTenant.ts"
import * as Migrations from "./Migrations.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { json } from "./Json.ts"
import * as Rows from "./Rows.ts"

const Held = Schema.Struct({ slug: Schema.String, phone_number_id: Schema.String, changed_at: Schema.String })
/**
 * A number that this process registers at its trunk's server. If `changed_at` differs, the number's trunk has changed.
 */
export type Held = typeof Held.Type

const Standing = Schema.Struct({ registration: Schema.NullOr(Registered) })

/** How long a hold lasts: a dead process keeps others from registering its numbers for that long. */
const heldSeconds = 15
/** The most numbers of one account: each causes messages, again and again, to a server that the account names. */
const mostRegistered = 100

export class RegisteredNumbers extends Context.Service<
  RegisteredNumbers,
  {
    /**
     * Takes and renews holds on numbers of this cell's accounts. Returns the numbers that this node registers from now on:
     * those that it holds already, and those that no living node holds. Has to be called more often than a hold lasts.
     */
    readonly hold: (node: string) => Effect.Effect<ReadonlyArray<Held>>
    /** Releases the node's holds, so that other nodes may register its numbers at once. */
    readonly release: (node: string) => Effect.Effect<void>
    /** Records the result of a registration. Has no effect if another node registers the number in the meantime. */
    readonly note: (held: Held, node: string, registered: Registered) => Effect.Effect<void>
    /** Finds the registration of a number of the account; null before its first, or while no node holds the number. */
    readonly find: (phone_number_id: string) => Effect.Effect<Registered | null, never, CurrentTenant>
  }
>()("tenancy/RegisteredNumbers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const { isServed } = yield* Cell
      return {
        hold: (node) =>
          Rows.all(Held)(sql`
            update inbound_numbers n set registrar = ${node}, held_until = clock_timestamp() + make_interval(secs => ${heldSeconds})
            from accounts a, (
              select account_id, phone_number_id,
                row_number() over (partition by account_id order by claimed_at, phone_number_id) as place
              from inbound_numbers where registers) listed
            where a.id = n.account_id and a.status <> 'suspended' and a.deleting_at is null and ${Migrations.isUsable(sql)}
              and ${isServed(sql)}
              and (listed.account_id, listed.phone_number_id) = (n.account_id, n.phone_number_id)
              and listed.place <= ${mostRegistered} and n.registers
              and (n.registrar = ${node} or n.held_until < clock_timestamp())
            returning a.slug, n.phone_number_id::text, n.changed_at::text`).pipe(Effect.orDie),
        release: (node) =>
          sql`update inbound_numbers set held_until = '-infinity' where registrar = ${node}`.pipe(
            Effect.asVoid,
            Effect.orDie,
          ),
        note: ({ phone_number_id, slug }, node, registered) =>
          sql`
            update inbound_numbers n set registration = ${json(registered)}::jsonb from accounts a
            where a.id = n.account_id and a.slug = ${slug} and n.phone_number_id = ${phone_number_id}
              and n.registrar = ${node}`.pipe(Effect.asVoid, Effect.orDie),
        find: (phone_number_id) =>
          Effect.flatMap(CurrentTenant, ({ id }) =>
            Rows.all(Standing)(sql`
              select case when held_until > clock_timestamp() then registration end as registration
              from inbound_numbers where account_id = ${id} and phone_number_id = ${phone_number_id}`),
          ).pipe(
            Effect.map(([row]) => row?.registration ?? null),
            Effect.orDie,
          ),
      }
    }),
  )
}
