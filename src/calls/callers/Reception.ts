/**
 * Receives incoming phone calls over any carrier: chooses the agent that answers, and what it knows about the caller.
 * The carrier's own code has already found the called number.
 */
import { Context, Data, Effect, Layer, Option, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import type { CapReached } from "../../domain/Cap.ts"
import type { E164 } from "../../domain/E164.ts"
import type { DialRequest, Line, Refused } from "../../telephony/Telephony.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { type Arrived, Calls } from "../Calls.ts"

/** The account no longer has the number, or the number has another carrier now. */
export class NumberGone extends Data.TaggedError("NumberGone")<{ readonly phone_number_id: string }> {
  override get message() {
    return `The account has no phone number ${this.phone_number_id} that this carrier can call.`
  }
}

/** No agent answers the number. */
export class NumberHasNoAgent extends Data.TaggedError("NumberHasNoAgent")<{ readonly phone_number_id: string }> {
  override get message() {
    return `No agent answers the phone number ${this.phone_number_id}. Set its inbound_agent_id.`
  }
}

/** The caller offers no sound that the number's settings allow. */
export class SoundRefused extends Data.TaggedError("SoundRefused")<{ readonly phone_number_id: string }> {
  override get message() {
    return `A caller of the phone number ${this.phone_number_id} offers no G.711, or no encryption where srtp is true.`
  }
}

export interface Ring {
  readonly phone_number_id: string
  /** Whether the carrier calls this number, as the account's database has it. */
  readonly isCalled: (number: PhoneNumbers.PhoneNumberRow) => boolean
  /** Whether the caller offers sound that the number's settings allow. */
  readonly hasSound: (number: PhoneNumbers.PhoneNumberRow) => boolean
  /** The caller's number; null if it is hidden. Callers can forge it. */
  readonly from: E164 | null
  /** Answers the call, once it has its slot; see `Arrival.line`. */
  readonly line: (arrived: Arrived, number: PhoneNumbers.PhoneNumberRow) => Effect.Effect<Line, Refused, Scope.Scope>
  readonly ended: (reason: EndReason) => void
}

/** The request to answer a call that waits at its carrier. `from` is the carrier's text and may not be a number. */
export const requestOf = (
  { account, agent, call_id, confirmOwnership, mayHangUp }: Arrived,
  { carrier, carrier_config, number }: PhoneNumbers.PhoneNumberRow,
  from: string,
): DialRequest => ({
  account: account.account.slug,
  call_id,
  to: number,
  from,
  carrier,
  carrier_config,
  language: agent.language,
  voice: agent.voice,
  model: agent.model,
  max_call_seconds: agent.max_call_seconds,
  wants_beep: false,
  confirmForDialling: Effect.void,
  confirmOwnership,
  mayHangUp,
})

/** For this many days after a campaign's call, its contact is recognised when calling back. */
const calledWithinDays = 7

const CalledContact = Schema.Struct({
  agent_id: Schema.String,
  campaign: Schema.String,
  custom_fields: Schema.JsonObject,
})

/** Finds the contact that a campaign last called from this number, or from another of its pool, within `calledWithinDays`. */
const findCalledContact = Effect.fn("Reception.findCalledContact")(function* (phone_number_id: string, caller: E164) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(CalledContact)(sql`
    select p.agent_id::text, p.name as campaign, t.custom_fields
    from calls c join contacts t on t.id = c.contact_id join campaigns p on p.id = c.campaign_id
    where c.to_number = ${caller} and c.contact_id is not null
      and ${phone_number_id}::uuid = any(p.caller_numbers || p.phone_number_id || c.phone_number_id)
      and c.started_at > now() - make_interval(days => ${calledWithinDays}::int)
    order by c.started_at desc limit 1`)
})

export class Reception extends Context.Service<
  Reception,
  {
    /** Admits the call and begins to answer it. Runs in the account whose number was called. */
    readonly receive: (
      ring: Ring,
    ) => Effect.Effect<
      CallId,
      NumberGone | NumberHasNoAgent | SoundRefused | CapReached,
      CurrentTenant | SqlClient.SqlClient
    >
  }
>()("calls/callers/Reception") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const calls = yield* Calls
      return {
        receive: Effect.fn("Reception.receive")(function* (ring: Ring) {
          const { ended, from, line, phone_number_id } = ring
          const found = yield* Effect.option(PhoneNumbers.findForCarrier(phone_number_id))
          if (Option.isNone(found) || !ring.isCalled(found.value)) return yield* new NumberGone({ phone_number_id })
          const number = found.value
          const contact = from === null ? undefined : yield* Effect.orDie(findCalledContact(number.id, from))
          const agent_id = number.inbound_agent_id ?? contact?.agent_id
          if (agent_id === undefined) return yield* new NumberHasNoAgent({ phone_number_id })
          if (!ring.hasSound(number)) return yield* new SoundRefused({ phone_number_id })
          const variables = contact && { ...contact.custom_fields, campaign: { name: contact.campaign } }
          return yield* calls
            .receive({
              agent_id,
              variables: variables ?? {},
              greeting: null,
              written: null,
              ended,
              phone: { number, from_number: from },
              line: (arrived) => line(arrived, number),
            })
            .pipe(Effect.catchTag("UnknownReference", () => new NumberHasNoAgent({ phone_number_id })))
        }),
      }
    }),
  )
}
