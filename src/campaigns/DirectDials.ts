/** Direct calls under rule packs: chooses the packs as a campaign does, and seals the decision (decision 0090). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../calls/Calls.ts"
import * as CampaignRules from "../catalog/CampaignRules.ts"
import type { NewCall } from "../domain/Call.ts"
import * as ReceiptSealer from "./receipts/ReceiptSealer.ts"

export const place = Effect.fn("DirectDials.place")(function* (request: NewCall) {
  const packs = yield* CampaignRules.choose(request.rule_packs ?? [], [request.phone_number_id]).pipe(
    Effect.catchTag("SqlError", Effect.die),
  )
  const call = yield* Calls.use((calls) => calls.place(request, packs))
  if (call.decision === undefined) return call
  const sql = yield* SqlClient.SqlClient
  yield* sql.afterCommit(seal)
  return call
})

/** An account may have no dialler that seals. If this fails, the next sealer seals the decision too. */
const seal = ReceiptSealer.seal().pipe(
  Effect.timeout("5 seconds"),
  Effect.catchCause((cause) => Effect.logWarning("sealing receipts failed", cause)),
)
