import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import { CallSound } from "../../../src/telephony/sip/CallSound.ts"
import { loopback, rtpSessions } from "../../support/RtpPeer.ts"

const soundOf = Effect.fnUntraced(function* (encrypted: boolean) {
  const { open } = yield* RtpSessions
  return new CallSound(yield* open({ localAddress: loopback, isOwnNetwork: () => true }), encrypted)
})

/** An offer of ours that another side of ours answers. */
const negotiate = (encrypted: { readonly ours: boolean; readonly theirs: boolean }) =>
  Effect.gen(function* () {
    const [ours, theirs] = [yield* soundOf(encrypted.ours), yield* soundOf(encrypted.theirs)]
    const offer = ours.offer()
    const answer = theirs.answer(offer)
    return { ours, theirs, offer, answer, agreed: Result.flatMap(answer, ({ text }) => ours.accept(text)) }
  }).pipe(Effect.scoped, Effect.provide(rtpSessions()))

describe("the sound of a call", () => {
  it.live("is agreed on without encryption", () =>
    Effect.gen(function* () {
      const { agreed, theirs } = yield* negotiate({ ours: false, theirs: false })
      const { remote, srtp } = Result.getOrThrow(agreed)
      assert.deepStrictEqual([remote.host, remote.port, srtp], [loopback, theirs.rtp.port, null])
    }),
  )
  it.live("is encrypted if the trunk's settings require it, with matching keys", () =>
    Effect.gen(function* () {
      const { agreed, answer, offer } = yield* negotiate({ ours: true, theirs: false })
      assert.include(offer, "RTP/SAVP")
      const [near, far] = [Result.getOrThrow(agreed).srtp, Result.getOrThrow(answer).agreed.srtp]
      if (near === null || far === null) return assert.fail("The call is not encrypted")
      assert.deepStrictEqual([near.sending, near.receiving], [far.receiving, far.sending])
    }),
  )
  it.live("is refused if they require it and the peer does not support it", () =>
    Effect.gen(function* () {
      const { answer } = yield* negotiate({ ours: false, theirs: true })
      assert.include(Result.isFailure(answer) ? answer.failure : {}, { reason: "not_encrypted" })
    }),
  )
  it.live("has a new version in each of our descriptions, and the same session", () =>
    Effect.gen(function* () {
      const { offer, ours } = yield* negotiate({ ours: false, theirs: false })
      const origin = (sdp: string) => /^o=parley (\d+) (\d+)/m.exec(sdp)?.slice(1) ?? []
      const [first, second] = [origin(offer), origin(ours.offer())]
      assert.deepStrictEqual(second, [first[0], String(Number(first[1]) + 1)])
    }),
  )
})
