/**
 * Keeps the accounts' databases in order while Parley runs: what an operator restores is closed and paused, and what a
 * killed process left of a creation or a deletion is dropped.
 */
import { Effect, Layer, Schedule } from "effect"
import { AccountAccess } from "./AccountAccess.ts"
import { RestoredCopies } from "./RestoredCopies.ts"
import { UnfinishedAccounts } from "./UnfinishedAccounts.ts"

const lookEvery = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const access = yield* AccountAccess
    const copies = yield* RestoredCopies
    const unfinished = yield* UnfinishedAccounts
    yield* Effect.all([copies.look, access.restore, unfinished.finish], { discard: true }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("upkeep of the accounts' databases failed", cause)),
      Effect.delay(lookEvery),
      Effect.repeat(Schedule.forever),
      Effect.forkScoped,
    )
  }),
)
