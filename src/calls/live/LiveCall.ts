/** A call that this process conducts, from the commit of its row until its end is written. */
import { Deferred, type Fiber } from "effect"
import type { CallTrace } from "../../telemetry/CallTrace.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { CallId } from "../../domain/Call.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"

export interface LiveCall {
  readonly id: CallId
  readonly tenant: AccountEntry
  /** Succeeds when a client asks to hang up. */
  readonly hangUp: Deferred.Deferred<void>
  /** Succeeds when the end is written, or when another process will write it. */
  readonly over: Deferred.Deferred<void>
  /** The fiber that conducts the call. */
  fiber: Fiber.Fiber<void> | undefined
  /** Whether another process has taken the call over. */
  lost: boolean
  /** Whether this process gives the call up, so that another process goes on with it. */
  moves: boolean
  /** When this process began to conduct the call, in milliseconds. */
  readonly began_at: number
  /** Whether the call is over and only its end has to be written. */
  ending: boolean
  /** When the database last confirmed that this process owns the call, in milliseconds. */
  confirmed_at: number
  /** True once the carrier may have been asked to dial. */
  dialled: boolean
  /** The record of the talk so far, once the call is answered. */
  record: CallRecord | undefined
  /** Undefined while traces are off. */
  readonly trace: CallTrace | undefined
}

export const make = (
  id: CallId,
  tenant: AccountEntry,
  confirmed_at: number,
  trace?: CallTrace,
  began_at: number = confirmed_at,
): LiveCall => ({
  id,
  tenant,
  hangUp: Deferred.makeUnsafe(),
  over: Deferred.makeUnsafe(),
  fiber: undefined,
  lost: false,
  moves: false,
  began_at,
  ending: false,
  confirmed_at,
  dialled: false,
  record: undefined,
  trace,
})

/** Another process will go on with the call: this process stops conducting it and does not end it. */
export const giveUp = (call: LiveCall): void => {
  call.moves = true
  if (call.record !== undefined) call.record.is_moving = true
  call.fiber?.interruptUnsafe()
}

/** Another process has taken over the call: this process stops conducting it and writes nothing more. */
export const lose = (call: LiveCall): void => {
  call.lost = true
  call.fiber?.interruptUnsafe()
}
