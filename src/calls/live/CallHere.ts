/** Finds live calls for supervisors' requests, in the account and among the calls that this process conducts. */
import { Data, Effect, Schema } from "effect"
import { AccountSlug } from "../../domain/Account.ts"
import { type Call, CallId } from "../../domain/Call.ts"
import { CallElsewhere } from "../../domain/CallListener.ts"
import { InvalidState } from "../../domain/Refusals.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as CallHistory from "../CallHistory.ts"
import type { LiveCalls } from "./LiveCalls.ts"

/** A call, and the account in which the supervisor asks for it. */
export const AskedCall = Schema.Struct({ account: AccountSlug, call_id: CallId })
export type AskedCall = typeof AskedCall.Type

/**
 * The process that conducts a call refuses a request. `wait_ms`: after how many milliseconds it would accept it; 0 if
 * that is not known.
 */
export class CallRefusal extends Data.TaggedError("CallRefusal")<{
  readonly detail: string
  readonly wait_ms: number
}> {}

export const refuse = (detail: string) => new CallRefusal({ detail, wait_ms: 0 })

/** Finds a call of the current account that has not ended. */
export const findLive = Effect.fnUntraced(function* (id: string) {
  const call = yield* CallHistory.find(id)
  if (call.ended_at !== null) return yield* new InvalidState({ state: call.status, detail: "The call has ended." })
  const { account } = yield* CurrentTenant
  return { call, asked: { account: account.slug, call_id: call.id } satisfies AskedCall }
})

/** The refusal as an answer to the client. */
export const toInvalidState =
  ({ status }: Call) =>
  ({ detail }: CallRefusal) =>
    new InvalidState({ state: status, detail })

/** Finds an answered call that this process conducts. */
export const findHere = Effect.fnUntraced(function* (
  { all }: LiveCalls["Service"],
  { account, call_id: id }: AskedCall,
) {
  const here = all.get(id)
  if (here === undefined || here.lost || here.tenant.account.slug !== account) return yield* new CallElsewhere({ id })
  const { record, tenant } = here
  const line = record?.line ?? null
  if (record === undefined || line === null) return yield* refuse("The call was not answered yet.")
  return { id, tenant, record, line }
})

export type AnsweredCall = Effect.Success<ReturnType<typeof findHere>>
