/**
 * Lists the account's SIP numbers in the platform's directory of called numbers (`tenancy/InboundNumbers`), so that
 * their trunks can deliver calls to them.
 */
import { Config, Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PhoneNumber } from "../domain/PhoneNumber.ts"
import { trunkOf } from "../domain/SipConfig.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { type InboundNumber, InboundNumbers } from "../tenancy/InboundNumbers.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as Secrets from "./Secrets.ts"

type Listed = Pick<PhoneNumber, "id" | "number" | "carrier" | "carrier_config">

/**
 * The directory entry of a number, whose `carrier_config` has masked secrets as on the wire. Null if no trunk can call
 * the number.
 */
const inboundNumberOf = ({ carrier, carrier_config, id, number }: Listed): InboundNumber | null => {
  const trunk = carrier === "sip" ? trunkOf(carrier_config) : null
  if (trunk === null) return null
  const { addresses, host, register } = trunk
  return { phone_number_id: id, number, server: host.toLowerCase(), addresses, registers: register }
}

/** Updates the directory entry of a number that is being written, inside the same transaction. */
export const list = Effect.fn("InboundListing.list")(function* (number: Listed) {
  const directory = yield* InboundNumbers
  const listed = inboundNumberOf(number)
  yield* listed === null ? directory.remove(number.id) : directory.keep(listed)
})

const Row = Schema.toType(
  Schema.Struct({
    id: PhoneNumber.fields.id,
    number: PhoneNumber.fields.number,
    carrier: PhoneNumber.fields.carrier,
    carrier_config: PhoneNumber.fields.carrier_config,
  }),
)

/** Replaces the account's entries by the numbers in its database. Numbers cannot be written meanwhile. */
export const relist = Effect.fn("InboundListing.relist")(function* () {
  const sql = yield* SqlClient.SqlClient
  const directory = yield* InboundNumbers
  // Without the lock, an entry that is written meanwhile could be overwritten by what was read before it.
  yield* sql`lock table phone_numbers in share mode`
  const rows = yield* Rows.all(Row)(
    sql`select id, number, carrier, carrier_config from phone_numbers where carrier = 'sip'`,
  )
  const shown = rows.map((row) => ({ ...row, carrier_config: Secrets.maskSecrets(row.carrier_config) }))
  yield* directory.replace(shown.flatMap((row) => inboundNumberOf(row) ?? []))
}, transaction)

/** Numbers of accounts that were restored from a backup are listed within this time. */
const relistEvery = "1 hour"

export class InboundListing extends Context.Service<
  InboundListing,
  {
    /** Relists every account of this cell, one after another. An account that cannot be opened keeps its entries. */
    readonly relistAll: Effect.Effect<void>
  }
>()("catalog/InboundListing") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const accounts = yield* AccountDirectory
      const directory = yield* InboundNumbers
      const tenants = yield* TenantDatabases
      const relistAll = Effect.gen(function* () {
        for (const entry of yield* accounts.allServed) {
          yield* tenants.open(entry).pipe(
            Effect.flatMap((tenant) => Effect.provideContext(relist(), tenant)),
            Effect.provideService(InboundNumbers, directory),
            Effect.scoped,
            Effect.catchCause((cause) =>
              Effect.annotateLogs(
                Effect.logWarning("listing the numbers of an account for incoming calls failed", cause),
                {
                  account: entry.account.slug,
                },
              ),
            ),
          )
        }
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("reading the accounts failed", cause)))
      // Relisting opens every account's database, which is useless where no trunk can call.
      const hasSip = Option.isSome(yield* Config.option(Config.Port("PARLEY_SIP_PORT")))
      if (hasSip) yield* relistAll.pipe(Effect.repeat(Schedule.spaced(relistEvery)), Effect.forkScoped)
      return { relistAll }
    }),
  )
}
