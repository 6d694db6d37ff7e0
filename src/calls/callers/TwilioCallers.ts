/** Incoming calls over Twilio: Twilio asks what to do with each call, and the settings of the called number decide. */
import { Context, Deferred, Effect, Layer, Option } from "effect"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { isE164 } from "../../domain/E164.ts"
import { isUuid } from "../../domain/Name.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import { type NotKept, SignatureWrong } from "../../telephony/CarrierCallbacks.ts"
import { type SignedRequest, TwilioArrivals } from "../../telephony/twilio/TwilioArrivals.ts"
import * as Twiml from "../../telephony/twilio/Twiml.ts"
import * as CalledAccount from "./CalledAccount.ts"
import { Reception, requestOf } from "./Reception.ts"

/** The account's slug comes from the path and is unverified. */
export interface VoiceRequest extends SignedRequest {
  readonly account: string
  /** The id of the phone number that was called. */
  readonly number: string
}

/** Twilio waits for instructions for 15 seconds. */
const answersWithin = "10 seconds"

const callSid = /^CA[0-9a-zA-Z]{1,62}$/

export class TwilioCallers extends Context.Service<
  TwilioCallers,
  {
    /** Returns the first instructions for the ringing call: they answer it, or reject it as busy. */
    readonly ring: (request: VoiceRequest) => Effect.Effect<string, SignatureWrong | NotKept>
    /** From now on calls are rejected. */
    readonly halt: Effect.Effect<void>
  }
>()("calls/callers/TwilioCallers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const within = yield* CalledAccount.makeWithin
      const admit = yield* makeAdmit
      let isHalted = false
      const ring = Effect.fn("TwilioCallers.ring")(
        (request: VoiceRequest): Effect.Effect<string, SignatureWrong | NotKept> =>
          isUuid(request.number)
            ? within(request.account, (isActive) => admit(request, isActive && !isHalted))
            : Effect.fail(new SignatureWrong()),
      )
      return { ring, halt: Effect.sync(() => void (isHalted = true)) }
    }),
  )
}

/** Returns the function that admits a call to the current account and returns its first instructions. */
const makeAdmit = Effect.gen(function* () {
  const arrivals = yield* TwilioArrivals
  const reception = yield* Reception

  /** Finds the number, if its carrier is Twilio and the request is signed with the number's token. */
  const findCalled = Effect.fnUntraced(function* (request: VoiceRequest) {
    const found = yield* Effect.option(PhoneNumbers.findForCarrier(request.number))
    const number = Option.getOrUndefined(Option.filter(found, ({ carrier }) => carrier === "twilio"))
    const credentials = number === undefined ? null : credentialsOf(number.carrier_config)
    if (number === undefined || credentials === null) return yield* new SignatureWrong()
    return arrivals.isFromTwilio(credentials.auth_token, request) ? number : yield* new SignatureWrong()
  })

  return Effect.fnUntraced(function* (request: VoiceRequest, takesCalls: boolean) {
    const { id } = yield* findCalled(request)
    const from = request.form.get("From") ?? ""
    const sid = request.form.get("CallSid") ?? ""
    if (!takesCalls || !callSid.test(sid)) return Twiml.busy
    const instructions = yield* Deferred.make<string>()
    const answer = (twiml: string) => void Deferred.doneUnsafe(instructions, Effect.succeed(twiml))
    const received = reception.receive({
      phone_number_id: id,
      isCalled: ({ carrier }) => carrier === "twilio",
      // Always: Twilio's streams have one codec, and its own voice needs none.
      hasSound: () => true,
      from: isE164(from) ? from : null,
      line: (arrived, number) => arrivals.answer(requestOf(arrived, number, from), sid, answer),
      ended: () => answer(Twiml.busy),
    })
    return yield* received.pipe(
      Effect.andThen(Deferred.await(instructions)),
      Effect.timeoutOrElse({ duration: answersWithin, orElse: () => Effect.succeed(Twiml.busy) }),
      Effect.catch(({ message }) => reject(message)),
    )
  })
})

const reject = (why: string) =>
  Effect.as(Effect.annotateLogs(Effect.logWarning("an incoming call was refused"), { why }), Twiml.busy)
