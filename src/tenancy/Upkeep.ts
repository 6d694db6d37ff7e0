/** Keeps the accounts' databases in order while Parley runs: what an operator restores is closed, and paused. */
import { Effect, Layer, Schedule } from "effect"
import { AccountAccess } from "./AccountAccess.ts"
import { RestoredCopies } from "./RestoredCopies.ts"

const lookEvery = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const access = yield* AccountAccess
    const copies = yield* RestoredCopies
    yield* Effect.andThen(copies.look, access.restore).pipe(
      Effect.catchCause((cause) => Effect.logWarning("looking for restored accounts failed", cause)),
      Effect.delay(lookEvery),
      Effect.repeat(Schedule.forever),
      Effect.forkScoped,
    )
  }),
)
