/**
 * Finds the account that a called number belongs to, without opening any account's database (platform database,
 * `inbound_numbers`). The entries are derived: the phone numbers in the accounts' databases are authoritative. The
 * transactions that change those write the entries too, and `replace` repairs them.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { CurrentTenant } from "./CurrentTenant.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { json } from "./Json.ts"
import * as Rows from "./Rows.ts"

/** A phone number that a trunk may deliver calls to. */
export interface InboundNumber {
  readonly phone_number_id: string
  readonly number: string
  /** A host name or an IP address. */
  readonly server: string
  readonly addresses: ReadonlyArray<string>
  /** Whether the server delivers calls only to a process that has registered the number. */
  readonly registers: boolean
}

const Claim = Schema.Struct({
  account_id: Schema.String,
  slug: Schema.String,
  phone_number_id: Schema.String,
  number: Schema.String,
})
/** An account that lists a number behind a trunk. */
export type Claim = typeof Claim.Type

const Trunks = Schema.Struct({
  servers: Schema.Array(Schema.Struct({ server: Schema.String, accounts: Schema.Array(Schema.String) })),
  addresses: Schema.Array(Schema.String),
})
export type Trunks = typeof Trunks.Type

/** Where a call comes from: the address of the trunk, and the names of the servers that have that address. */
export interface CallSource {
  readonly address: string
  readonly servers: ReadonlyArray<string>
}

export class InboundNumbers extends Context.Service<
  InboundNumbers,
  {
    /** Writes the entry of a number. Runs inside the transaction that writes the number. */
    readonly keep: (number: InboundNumber) => Effect.Effect<void, never, CurrentTenant>
    /**
     * Deletes the entry of a number. Runs inside the transaction after which the number takes no calls from a trunk.
     */
    readonly remove: (phone_number_id: string) => Effect.Effect<void, never, CurrentTenant>
    /** Makes these the only entries of the account. Other writers of its phone numbers are locked out meanwhile. */
    readonly replace: (numbers: ReadonlyArray<InboundNumber>) => Effect.Effect<void, never, CurrentTenant>
    /**
     * Returns at most two accounts that list one of these numbers behind this trunk: in the order of `numbers`, and for
     * one number, the account that listed it first comes first.
     */
    readonly claimsOn: (numbers: ReadonlyArray<string>, source: CallSource) => Effect.Effect<ReadonlyArray<Claim>>
    /** Changes whenever an entry does. */
    readonly revision: Effect.Effect<string>
    /** The servers and addresses of all trunks. */
    readonly trunks: Effect.Effect<Trunks>
  }
>()("tenancy/InboundNumbers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase

      /**
       * Writes the entries. A number that differs from the stored one is a new claim. `isNew`: the credentials may have
       * changed, so that the number is registered anew.
       */
      const write = (account: string, numbers: ReadonlyArray<InboundNumber>, isNew: boolean) => sql`
        insert into inbound_numbers (account_id, phone_number_id, number, server, addresses, registers)
        select ${account}::uuid, n.id, n.number, n.server, array(select jsonb_array_elements_text(n.addresses)), n.registers
        from jsonb_to_recordset(${json(numbers.map(({ phone_number_id, ...rest }) => ({ id: phone_number_id, ...rest })))}::jsonb)
          as n(id uuid, number text, server text, addresses jsonb, registers boolean)
        on conflict (account_id, phone_number_id) do update set
          number = excluded.number, server = excluded.server, addresses = excluded.addresses, registers = excluded.registers,
          registration = null,
          changed_at = clock_timestamp(),
          claimed_at = case when inbound_numbers.number = excluded.number then inbound_numbers.claimed_at
                            else clock_timestamp() end
        where (${isNew}::boolean and excluded.registers) or
          (inbound_numbers.number, inbound_numbers.server, inbound_numbers.addresses, inbound_numbers.registers)
          is distinct from (excluded.number, excluded.server, excluded.addresses, excluded.registers)`

      return {
        keep: (number) =>
          Effect.flatMap(CurrentTenant, ({ id }) => write(id, [number], true)).pipe(Effect.asVoid, Effect.orDie),
        remove: (phone_number_id) =>
          Effect.flatMap(
            CurrentTenant,
            ({ id }) =>
              sql`delete from inbound_numbers where account_id = ${id} and phone_number_id = ${phone_number_id}`,
          ).pipe(Effect.asVoid, Effect.orDie),
        replace: (numbers) =>
          Effect.flatMap(CurrentTenant, ({ id }) => {
            const ids = numbers.map(({ phone_number_id }) => phone_number_id)
            const dropped = sql`
              delete from inbound_numbers where account_id = ${id} and not phone_number_id = any(${ids}::uuid[])`
            return numbers.length === 0 ? dropped : Effect.andThen(dropped, write(id, numbers, false))
          }).pipe(Effect.asVoid, Effect.orDie),
        claimsOn: (numbers, { address, servers }) =>
          Rows.all(Claim)(sql`
            select n.account_id::text, a.slug, n.phone_number_id::text, n.number
            from inbound_numbers n join accounts a on a.id = n.account_id
            where n.number = any(${[...numbers]}) and (${address} = any(n.addresses) or n.server = any(${[...servers]}))
            order by array_position(${[...numbers]}::text[], n.number), n.claimed_at, n.account_id limit 2`).pipe(
            Effect.orDie,
          ),
        revision: sql<{ readonly revision: string }>`
          select concat_ws(' ', count(*), max(changed_at)) as revision from inbound_numbers`.pipe(
          Effect.map(([row]) => row?.revision ?? ""),
          Effect.orDie,
        ),
        trunks: Rows.one(Trunks)(sql`
          select coalesce((select jsonb_agg(jsonb_build_object('server', server, 'accounts', accounts)) from (
              select server, array_agg(distinct account_id::text) as accounts from inbound_numbers group by server) s), '[]')
              as servers,
            array(select distinct unnest(addresses) from inbound_numbers) as addresses`).pipe(Effect.orDie),
      }
    }),
  )
}
