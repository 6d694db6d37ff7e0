/** Finds a live call that this process conducts, for a supervisor's request. */
import { Effect } from "effect"
import { CallElsewhere } from "../../domain/CallListener.ts"
import { InvalidState } from "../../domain/Refusals.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as CallHistory from "../CallHistory.ts"
import type { LiveCalls } from "./LiveCalls.ts"

/**
 * Finds an answered call of the current account. The returned `refuse` makes the error for a request that the call's
 * state does not allow.
 */
export const findAnswered = Effect.fnUntraced(function* ({ all }: LiveCalls["Service"], id: string) {
  const call = yield* CallHistory.find(id)
  const refuse = (detail: string) => new InvalidState({ state: call.status, detail })
  if (call.ended_at !== null) return yield* refuse("The call has ended.")
  const tenant = yield* CurrentTenant
  const here = all.get(call.id)
  if (here === undefined || here.lost || here.tenant.account.slug !== tenant.account.slug) {
    return yield* new CallElsewhere({ id: call.id })
  }
  const { record } = here
  const line = record?.line ?? null
  if (record === undefined || line === null) return yield* refuse("The call was not answered yet.")
  return { call, tenant, record, line, refuse }
})
