/**
 * A transaction for a change to what feeds agents. It records the author, so that the versions it makes name them
 * (decision 0016).
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../domain/AgentVersion.ts"
import { CurrentPrincipal } from "../domain/Principal.ts"
import { transaction } from "../tenancy/Transaction.ts"

export const change = <A, E, R>(effect: Effect.Effect<A, E, R>) => transaction(Effect.andThen(signed, effect))

/** Read by the triggers that make versions; reset at the end of the transaction. */
const signed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const principal = yield* Effect.serviceOption(CurrentPrincipal)
  const author = Option.match(principal, { onNone: () => "", onSome: (one) => JSON.stringify(authorOf(one)) })
  yield* sql`select set_config('parley.author', ${author}, true)`
})
