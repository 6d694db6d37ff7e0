/**
 * Incoming calls over Telnyx: a webhook of the application announces each call, and the settings of the called number
 * decide about it.
 */
import { Clock, Context, Effect, FiberSet, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import { isE164 } from "../../domain/E164.ts"
import { telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import { type NotKept, SignatureWrong, type SignedWebhook } from "../../telephony/CarrierCallbacks.ts"
import { findTaken } from "../../telephony/CarrierCalls.ts"
import { listNumbersAt } from "../../telephony/rest/ReportIntake.ts"
import { TelnyxArrivals } from "../../telephony/telnyx/TelnyxArrivals.ts"
import { fieldIn, momentOf, readEvent, sidIn, type TelnyxEvent } from "../../telephony/telnyx/TelnyxEvent.ts"
import { isSigned } from "../../telephony/telnyx/TelnyxSignature.ts"
import * as Rows from "../../tenancy/Rows.ts"
import * as CalledAccount from "./CalledAccount.ts"
import { Reception, requestOf } from "./Reception.ts"

export class TelnyxCallers extends Context.Service<
  TelnyxCallers,
  {
    /** Admits or rejects the ringing call before it returns. Ignores webhooks of other kinds. */
    readonly ring: (webhook: SignedWebhook) => Effect.Effect<void, SignatureWrong | NotKept>
    /** From now on calls are rejected. */
    readonly halt: Effect.Effect<void>
  }
>()("calls/callers/TelnyxCallers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const within = yield* CalledAccount.makeWithin
      const admit = yield* makeAdmit
      let isHalted = false
      return {
        ring: Effect.fn("TelnyxCallers.ring")((webhook) =>
          within(webhook.account, (isActive) => admit(webhook, isActive && !isHalted)),
        ),
        halt: Effect.sync(() => void (isHalted = true)),
      }
    }),
  )
}

/** A webhook that is older than this is a repetition. */
const oldestMs = 60_000

const OwnNumber = Schema.Struct({ id: Schema.String })

/**
 * Finds the called number, if the account has it, and checks that the webhook is signed for the number's application.
 */
const findCalled = Effect.fnUntraced(function* (event: TelnyxEvent, webhook: SignedWebhook) {
  const sql = yield* SqlClient.SqlClient
  const to = fieldIn(event, "to")
  const own = yield* Rows.first(OwnNumber)(sql`
    select id::text from phone_numbers where number = ${to} and carrier = 'telnyx'`)
  const value = fieldIn(event, "connection_id")
  const numbers = yield* listNumbersAt({ carrier: "telnyx", setting: "connection_id", value }, own?.id ?? null)
  const now = yield* Clock.currentTimeMillis
  const signed = numbers.filter(({ carrier_config }) => {
    const public_key = telnyxCredentialsOf(carrier_config)?.public_key
    return public_key !== undefined && isSigned(public_key, webhook, now)
  })
  const [other] = signed
  return other === undefined ? null : { called: signed.find(({ number }) => number === to), other }
}, Effect.orDie)

/** Returns the function that admits a call to the current account. */
const makeAdmit = Effect.gen(function* () {
  const arrivals = yield* TelnyxArrivals
  const reception = yield* Reception
  const rejecting = yield* FiberSet.make()
  const run = yield* FiberSet.runtime(rejecting)()
  /** The calls that this process admits or conducts: Telnyx may announce one several times. */
  const coming = new Set<string>()

  const receive = Effect.fnUntraced(function* (number: PhoneNumberRow, event: TelnyxEvent, sid: string) {
    const from = fieldIn(event, "from")
    let isAnswering = false
    const reject = (why: string) =>
      Effect.annotateLogs(Effect.logWarning("an incoming call was refused"), { why }).pipe(
        Effect.andThen(arrivals.reject(number.carrier_config, sid)),
        Effect.ensuring(Effect.sync(() => coming.delete(sid))),
      )
    yield* reception
      .receive({
        phone_number_id: number.id,
        isCalled: ({ carrier }) => carrier === "telnyx",
        hasSound: () => arrivals.obstacle === null,
        from: isE164(from) ? from : null,
        line: (arrived, number) => {
          isAnswering = true
          return arrivals.answer(requestOf(arrived, number, from), sid)
        },
        ended: (reason) => void (isAnswering ? coming.delete(sid) : run(reject(reason))),
      })
      .pipe(
        Effect.asVoid,
        Effect.catch((refusal) =>
          reject((refusal._tag === "SoundRefused" ? arrivals.obstacle : null) ?? refusal.message),
        ),
      )
  })

  return Effect.fnUntraced(function* (webhook: SignedWebhook, takesCalls: boolean) {
    const event = readEvent(webhook.body)
    const found = event === null ? null : yield* findCalled(event, webhook)
    if (event === null || found === null) return yield* new SignatureWrong()
    const sid = sidIn(event)
    const isRing = event.event_type === "call.initiated" && fieldIn(event, "direction") === "incoming"
    if (!isRing || sid === null) return
    const now = yield* Clock.currentTimeMillis
    const isOld = now - (momentOf(event.occurred_at)?.getTime() ?? now) > oldestMs
    const isStored = (yield* Effect.orDie(findTaken([sid]))).has(sid)
    if (isOld || isStored || coming.has(sid)) return
    const { called, other } = found
    if (called === undefined || !takesCalls) return yield* arrivals.reject(other.carrier_config, sid)
    coming.add(sid)
    yield* Effect.onError(receive(called, event, sid), () => Effect.sync(() => coming.delete(sid)))
  })
})
