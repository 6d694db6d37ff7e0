/** SIP trunks as a carrier. Each call is one INVITE. Closing its scope cancels the call or hangs it up. */
import { Clock, Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { type SipTrunk, trunkOf } from "../../domain/SipConfig.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import { RtpSessions } from "../rtp/RtpSession.ts"
import { type Dial, type FinalReport, refuseAsCarrierError, Refused, type UnconfirmedCall } from "../Telephony.ts"
import { CallSound } from "./CallSound.ts"
import * as EarlySound from "./EarlySound.ts"
import { newId } from "./Ids.ts"
import { localAddressTo } from "./LocalAddress.ts"
import { type Answered, type Declined, type Placed, Sip } from "./Sip.ts"
import * as SipClosing from "./SipClosing.ts"
import { ringLimitSeconds } from "./SipClosing.ts"
import * as SipRecord from "./SipRecord.ts"
import * as SipReports from "./SipReports.ts"
import { SipSettings } from "./SipSettings.ts"
import * as SipTalk from "./SipTalk.ts"
import * as TrunkCall from "./TrunkCall.ts"
import * as TrunkRegistration from "./TrunkRegistration.ts"
import { uriOn } from "./TrunkUri.ts"
import { writeUri } from "./Uri.ts"

const switchedOff = "SIP is off on this installation: set PARLEY_SIP_PORT"
const noSpeech =
  "calls over SIP need a recogniser and a voice, or a voice model: configure speech providers (docs/settings.md)"
const noServer = "the number's carrier_config has no server"

/** A person who answers says hello first; after this silence the agent speaks. */
const first_word_ms = 1_200

export class SipCarrier extends Context.Service<
  SipCarrier,
  {
    /** Why no call can be placed; null if one can. */
    readonly obstacle: string | null
    readonly dial: Dial
    /** Sets the handler of incoming calls. Without SIP or speech there are no incoming calls. */
    readonly receive: (handler: (call: TrunkCall.TrunkCall) => void) => void
    /** Registers a number at its trunk's server. Null: this process could not take the calls that would come. */
    readonly registrar: ((number: string, trunk: SipTrunk) => TrunkRegistration.TrunkRegistration) | null
    readonly close: (unconfirmed: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/sip/SipCarrier") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const agent = yield* Sip
      const clock = yield* MediaClock
      const feeds = yield* CarrierFeeds
      const { isOwnNetwork } = yield* SipSettings
      const sessions = yield* RtpSessions
      const process = yield* Effect.scope
      const speech = yield* lineSpeech
      const record = SipRecord.make(feeds, process)
      const close = SipClosing.make({ agent, feeds, own: record.own })
      const without = (obstacle: string) => ({
        obstacle,
        dial: () => refusal(obstacle),
        receive: () => {},
        registrar: null,
        close,
      })
      if (agent === null) return without(switchedOff)
      if (Option.isNone(speech)) return without(noSpeech)
      const equipment = { ...speech.value, clock }
      const parts: TrunkCall.AnswerParts = { agent, equipment, sessions, isOwnNetwork, record, process }
      return {
        obstacle: null,
        dial: makeDial(parts),
        close,
        registrar: (number, trunk) => TrunkRegistration.make(agent, number, trunk),
        receive: (handler) => agent.receive((call) => handler(TrunkCall.make(call, parts))),
      }
    }),
  )
}

const makeDial = (parts: TrunkCall.AnswerParts): Dial =>
  Effect.fn("Telephony.dial")(function* (request, ringing) {
    const { agent, equipment, isOwnNetwork, process, record, sessions } = parts
    const trunk = trunkOf(request.carrier_config)
    if (trunk === null) return yield* refusal(noServer)
    const hops = yield* Effect.catch(agent.find(trunk), ({ why }) => refusal(why))
    agent.know(trunk.addresses)
    const localAddress = yield* localAddressTo(hops[0].address)
    const rtp = yield* Effect.catch(sessions.open({ localAddress, isOwnNetwork }), ({ message }) => refusal(message))
    const sound = new CallSound(rtp, trunk.srtp)

    const callId = newId()
    // Stored before the INVITE: if this process dies now, the others know that there may be a call.
    yield* record.keep(request, callId, SipReports.placed)
    yield* request.confirmForDialling
    const rings = yield* Deferred.make<void>()
    const early = yield* EarlySound.make({ equipment, sound, request })
    const keepInvitation = yield* record.invitationKeeper(request)
    const placed = yield* agent.place(
      {
        hops,
        callId,
        offer: sound.offer(),
        credentials: trunk.credentials,
        expires: ringLimitSeconds,
        to: uriOn(trunk, request.to),
        from: `<${writeUri(request.from, trunk.from_domain ?? trunk.host, null)}>`,
      },
      (_, sdp) => {
        Deferred.doneUnsafe(rings, Effect.void)
        if (sdp !== null) early.take(sdp)
      },
      keepInvitation,
    )
    // From here on the call's final report is stored, however the wait for its answer ends.
    yield* record.conclude(request, callId, placed.over, SipRecord.finalReportOf(placed))

    const { answer, session } = yield* untilAnswered(placed, rings, ringing).pipe(
      Effect.raceFirst(early.outOfService),
      Effect.catchTag("Refused", early.explain),
    )
    yield* early.stop
    const agreed = yield* Effect.catch(Effect.fromResult(sound.accept(answer)), ({ message }) => refusal(message))

    const report = SipReports.answered(new Date(yield* Clock.currentTimeMillis))
    const keep = record.keep(request, callId, report, session)
    // Stored before the ACK: if this process dies first, the trunk gets no ACK and ends the call.
    yield* Effect.forkIn(Effect.andThen(keep, placed.acknowledge), process)
    const moved = Effect.asVoid(Effect.forkIn(keep, process))
    yield* rtp.agree(agreed)
    const ended = () => void Deferred.doneUnsafe(placed.over, Effect.void)
    const uriOf = (number: string) => uriOn(trunk, number)
    return yield* SipTalk.make({
      request,
      session,
      sound,
      moved,
      equipment,
      ended,
      first_word_ms,
      uriOf,
      meetsMachines: true,
    })
  })

const warn = (why: Readonly<Record<string, unknown>>) =>
  Effect.annotateLogs(Effect.logWarning("a call over a SIP trunk failed"), why)

const refusal = (detail: string) => Effect.andThen(warn({ why: detail }), refuseAsCarrierError(detail))

/** Logs a refusal that is the trunk's or the operator's fault. The trunk's own words may contain the called number. */
const warnOfFault = (declined: Declined) => {
  if (SipRecord.outcomeIn(declined) !== "carrier_error") return Effect.void
  const { detail, status } = declined
  return warn(status === 0 ? { why: detail } : { status, "pii.detail": detail })
}

/** Waits for the answer, and reports the ringing first, so that the two are in order. */
const untilAnswered = Effect.fnUntraced(function* (
  { settled }: Placed,
  rings: Deferred.Deferred<void>,
  ringing: Effect.Effect<void>,
): Effect.fn.Return<Answered, Refused> {
  const telling = yield* Effect.forkChild(Effect.andThen(Deferred.await(rings), ringing))
  const answered = yield* Deferred.await(settled).pipe(
    Effect.timeoutOption(`${ringLimitSeconds} seconds`),
    Effect.tapError(warnOfFault),
    Effect.mapError((declined) => new Refused({ outcome: SipRecord.outcomeIn(declined), detail: declined.detail })),
  )
  if (Option.isNone(answered)) {
    return yield* Effect.fail(new Refused({ outcome: "no_answer", detail: `not answered in ${ringLimitSeconds} s` }))
  }
  yield* Deferred.isDoneUnsafe(rings) ? Fiber.join(telling) : Fiber.interrupt(telling)
  return answered.value
})
