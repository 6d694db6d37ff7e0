/** `parley repair`: does on demand what a process does when it boots, and says what it found. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { AccountAccess } from "../tenancy/AccountAccess.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { AccountMigrations } from "../tenancy/AccountMigrations.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { Provisioning } from "../tenancy/Provisioning.ts"
import { RestoredCopies } from "../tenancy/RestoredCopies.ts"
import { UnfinishedAccounts } from "../tenancy/UnfinishedAccounts.ts"
import { UnfinishedMoves } from "../tenancy/UnfinishedMoves.ts"
import { hasOldCaps } from "./Caps.ts"
import * as Installation from "./Installation.ts"
import { asJson, isDryRun, printJson, Refused } from "./Output.ts"

/** Databases that are examined at the same time, each over one connection. */
const atOnce = 8

interface Fault {
  readonly fault: "restored" | "no_access" | "unfinished" | "move" | "old_schema" | "old_caps" | "another_key"
  /** The account's slug; the database's name if there is no account. */
  readonly account: string
  readonly says: string
}

/** What is wrong at this moment, in the order in which it is repaired. Changes nothing. */
const look = Effect.gen(function* () {
  const all = yield* AccountDirectory.use((directory) => directory.all)
  const slugs = new Map(all.map(({ account, id }) => [id, account.slug]))
  const restored = yield* RestoredCopies.use((copies) => copies.pausable)
  const withoutAccess = yield* AccountAccess.use((access) => access.missing)
  const unfinished = yield* UnfinishedAccounts.use((accounts) => accounts.list)
  const moves = yield* UnfinishedMoves.use((moves) => moves.list)
  const withOldCaps = yield* Effect.filter(
    all,
    (entry) => Effect.catch(hasOldCaps(entry), () => Effect.succeed(false)),
    {
      concurrency: atOnce,
    },
  )
  const faults: ReadonlyArray<Fault> = [
    ...restored.map((account): Fault => ({
      fault: "restored",
      account,
      says: "was restored from a backup, so it is paused until an administrator sets it to active",
    })),
    ...withoutAccess.flatMap((id): ReadonlyArray<Fault> => {
      const account = slugs.get(id)
      // An account that is being deleted gets nothing back.
      return account === undefined
        ? []
        : [{ fault: "no_access", account, says: "has lost its role or its privileges, which are made again" }]
    }),
    ...unfinished.map(({ database, slug }): Fault => ({
      fault: "unfinished",
      account: slug ?? database,
      says: slug === null ? "was left by a creation and is dropped" : "was left half deleted, so the rest is dropped",
    })),
    ...moves.map(({ slug, step }): Fault => ({
      fault: "move",
      account: slug,
      says: `was left by a move to another server, which is ${step === "switched" ? "finished" : "undone"}`,
    })),
    ...all
      .filter(({ schemaVersion }) => schemaVersion < Migrations.newestOfTenant)
      .map(({ account, schemaVersion }): Fault => ({
        fault: "old_schema",
        account: account.slug,
        says: `has schema ${schemaVersion}, and is brought to ${Migrations.newestOfTenant}`,
      })),
    ...withOldCaps.map(({ account }): Fault => ({
      fault: "old_caps",
      account: account.slug,
      says: "has caps in its own database that were changed in the directory; they are copied",
    })),
    ...all
      .filter(({ isReadable }) => !isReadable)
      .map(({ account }): Fault => ({
        fault: "another_key",
        account: account.slug,
        says: "has a data key that PARLEY_ENCRYPTION_KEY does not open; only the right key can repair it",
      })),
  ]
  return faults
})

/** The repairs of `Boot` and of `Upkeep`, and the copy of the caps. Each may be interrupted and run again. */
const mend = Effect.fnUntraced(function* (found: ReadonlyArray<Fault>) {
  yield* RestoredCopies.use((copies) => copies.checkAtBoot)
  yield* AccountAccess.use((access) => access.restore)
  yield* UnfinishedAccounts.use((accounts) => accounts.finish)
  yield* UnfinishedMoves.use((moves) => moves.finish)
  const provisioning = yield* Provisioning
  yield* AccountMigrations.use((migrations) => migrations.migrateAll)
  for (const { account, fault } of found) {
    // An update without a change copies the caps. It loses no change that another process makes meanwhile.
    if (fault === "old_caps") yield* provisioning.update(account, (present) => Effect.succeed(present.account))
  }
})

const sentence = ({ account, says }: Fault) => `${account} ${says}.`

export const repair = Command.make(
  "repair",
  { asJson, isDryRun },
  Effect.fnUntraced(function* ({ asJson, isDryRun }) {
    const found = yield* look
    if (!isDryRun) yield* mend(found)
    const left = isDryRun ? found : yield* look
    if (asJson) yield* printJson({ found, left })
    else if (found.length === 0) yield* Console.log("There is nothing to repair.")
    else yield* Effect.forEach(found, (fault) => Console.log(sentence(fault)), { discard: true })
    if (isDryRun || left.length === 0) return
    return yield* new Refused({
      why: `Not repaired: ${left.map(({ account, fault }) => `${account} (${fault})`).join(", ")}. The lines above say why, or another process is at work on it.`,
    })
  }),
).pipe(
  Command.withDescription(
    "Does what a start of Parley repairs: pauses restored accounts, makes missing roles and privileges again, finishes half-made and half-deleted accounts, undoes or finishes killed moves to another server, migrates accounts whose schema is old, and copies caps that did not reach an account's database. Exits with 1 if something is left.",
  ),
  Command.provide(Installation.layer),
)
