/**
 * Runs a change to agents, or to what they use, in a transaction. It records the author, so that the versions that the
 * change creates name the author (decision 0016).
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../domain/AgentVersion.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import { transaction } from "../tenancy/Transaction.ts"

export const change = <A, E, R>(effect: Effect.Effect<A, E, R>) => transaction(Effect.andThen(signed, effect))

/** Sets the author, which the triggers that create versions read. The setting ends with the transaction. */
const signed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const principal = yield* Effect.serviceOption(CurrentPrincipal)
  const author = Option.match(principal, { onNone: () => "", onSome: (one) => JSON.stringify(authorOf(one)) })
  yield* sql`select set_config('parley.author', ${author}, true)`
})
