/**
 * Metrics of the whole installation, or of this process's cell, from the platform's database. Every process of it reads
 * the same figures (but for the accounts that it could not open itself), so a query takes their maximum. Read every ten
 * seconds and not by the scraper, which must get an answer while the database does not answer; the figures are then
 * missing.
 */
import { Effect, Layer, Schedule, Schema } from "effect"
import * as Readings from "./telemetry/Readings.ts"
import { Cell } from "./tenancy/Cell.ts"
import * as Migrations from "./tenancy/Migrations.ts"
import { PlatformDatabase } from "./tenancy/PlatformDatabase.ts"
import * as Rows from "./tenancy/Rows.ts"
import { TenantDatabases } from "./tenancy/TenantDatabases.ts"

const readEvery = "10 seconds"
const readWithin = "5 seconds"

const Figures = Schema.Struct({
  accounts: Schema.Int,
  behind: Schema.Int,
  restored: Schema.Int,
  moving: Schema.Int,
  processes: Schema.Int,
  undialled: Schema.Int,
  undialled_seconds: Schema.Finite,
  unwatched_seconds: Schema.Finite,
  unregistered: Schema.Int,
  unavailable: Schema.Int,
})
type Figures = typeof Figures.Type

/** Seconds after its last heartbeat from which a process no longer counts. */
const silentSeconds = 15

const descriptions: Record<keyof Figures, readonly [name: string, description: string]> = {
  accounts: ["parley_accounts", "Accounts of the installation."],
  behind: [
    "parley_accounts_unmigrated",
    "Accounts whose database does not have this release's schema; they are refused.",
  ],
  restored: [
    "parley_accounts_restored",
    "Accounts that were restored from a backup and do not dial until they are set active.",
  ],
  moving: [
    "parley_accounts_moving",
    "Accounts that are moving to another PostgreSQL server: they begin no call, and are not available while their rows are copied.",
  ],
  processes: ["parley_processes", "Processes of the installation that renewed their lease lately."],
  undialled: ["parley_campaigns_undialled", "Campaigns that are due and that no living process dials."],
  undialled_seconds: [
    "parley_campaigns_undialled_seconds",
    "Seconds since the campaign was due that has waited longest for a process; 0 if none waits.",
  ],
  unwatched_seconds: [
    "parley_webhooks_overdue_seconds",
    "Seconds since the account with webhooks was due that has waited longest for a process; 0 if none waits.",
  ],
  unregistered: [
    "parley_sip_numbers_unregistered",
    "Numbers that should be registered at their trunk and are not; their callers cannot reach them.",
  ],
  unavailable: [
    "parley_accounts_unavailable",
    "Accounts whose database this process could not open when it last tried.",
  ],
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PlatformDatabase
    const { isServed, name } = yield* Cell
    const tenants = yield* TenantDatabases
    let figures: Figures | undefined

    const read = Effect.suspend(() =>
      Rows.one(Figures)(sql`
        with alive as (
          select id, cell from nodes where seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})),
        served as (select a.* from accounts a where ${isServed(sql)}),
        undialled as (
          select d.due_at from dialling d join served a on a.id = d.account_id
          where d.due_at < clock_timestamp() and a.status = 'active' and a.deleting_at is null and a.moving is null
            and not exists (select from alive where alive.id = d.node_id))
        select
          (select count(*)::int from served where deleting_at is null) as accounts,
          (select count(*)::int from served
           where deleting_at is null and schema_version < ${Migrations.newestOfTenant}) as behind,
          (select count(*)::int from served where deleting_at is null and status = 'restored') as restored,
          (select count(*)::int from served where moving is not null) as moving,
          (select count(*)::int from alive where ${name}::text is null or cell = ${name}) as processes,
          (select count(*)::int from undialled) as undialled,
          (select coalesce(max(extract(epoch from clock_timestamp() - due_at)), 0)::float8 from undialled)
            as undialled_seconds,
          (select coalesce(max(extract(epoch from clock_timestamp() - look_at)), 0)::float8
           from webhook_accounts w join served a on a.id = w.account_id where w.look_at < clock_timestamp()) as unwatched_seconds,
          (select count(*)::int from inbound_numbers n join served a on a.id = n.account_id
           where n.registers and a.status <> 'suspended' and a.deleting_at is null
             and (n.held_until < clock_timestamp() or n.registration ->> 'until' is null)) as unregistered,
          (select count(*)::int from served
           where deleting_at is null and database = any(${[...tenants.unopened()]})) as unavailable`),
    )

    yield* read.pipe(
      Effect.timeout(readWithin),
      Effect.map((row): Figures | undefined => row),
      // The heartbeat already logs that the database does not answer.
      Effect.catchCause(() => Effect.succeed(undefined)),
      Effect.map((row) => void (figures = row)),
      Effect.repeat(Schedule.spaced(readEvery)),
      Effect.forkScoped,
    )
    yield* Readings.register(
      (Object.keys(descriptions) as ReadonlyArray<keyof Figures>).map((figure) => {
        const [name, description] = descriptions[figure]
        return { name, description, read: () => figures?.[figure] ?? Number.NaN }
      }),
    )
  }),
)
