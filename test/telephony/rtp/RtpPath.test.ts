import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { heardRate, levelOf, spokenRate } from "../../../src/speech/Audio.ts"
import { decodeG711, encodeG711, pcmu } from "../../../src/speech/G711.ts"
import { RtpPath } from "../../../src/telephony/rtp/RtpPath.ts"
import { RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import { levelFrame, loopback, rtpBytes, rtpPeer, rtpSessions } from "../../support/RtpPeer.ts"
import { steppedClock } from "../../support/SteppedClock.ts"
import { heard, joined, spoken } from "../../support/ToneCode.ts"
import { toneLine } from "../../support/ToneLine.ts"
import { until } from "../../support/Until.ts"

const sessions = rtpSessions()
const opened = Effect.gen(function* () {
  const peer = yield* rtpPeer
  const session = yield* (yield* RtpSessions).open({
    localAddress: loopback,
    isOwnNetwork: (address) => address === loopback,
  })
  yield* session.agree(peer.agreed)
  return { peer, session }
})

/** A path whose ticks the test makes. */
const ticked = Effect.gen(function* () {
  const { peer, session } = yield* opened
  const path = new RtpPath(session)
  const told: Array<string> = []
  const frames: Array<Int16Array> = []
  path.attach({
    heard: (frame) => void frames.push(frame),
    played: () => {},
    replaced: () => {},
    wrote: () => {},
    key: (digit) => void told.push(digit),
    peerHeld: () => void told.push("held"),
    peerBack: () => void told.push("back"),
    gone: (how) => void told.push(how),
  })
  let at = 0
  const tick = (count: number) => {
    for (let ticks = 0; ticks < count; ticks++) path.tick((at += 20))
  }
  return { peer, session, path, told, frames, tick }
})

const test = (name: string, body: (stage: Effect.Success<typeof ticked>) => Effect.Effect<void>) =>
  it.live(name, () => ticked.pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(sessions)))

describe("RTP as a path of sound", () => {
  test("sends and hears one frame a tick, silence if there is none, and softer sound while it is ducked", ({
    frames,
    path,
    peer,
    tick,
  }) =>
    Effect.gen(function* () {
      const loud = new Int16Array(160).fill(8_000)
      assert.isTrue(path.send(1, loud))
      assert.isFalse(path.send(2, loud))
      tick(2)
      path.duck(true)
      path.send(2, loud)
      tick(1)
      path.send(3, loud)
      path.clear()
      tick(1)
      assert.lengthOf(frames, 4)
      yield* Effect.promise(() => until(() => peer.packets.length === 4))
      const levels = peer.packets.map(({ payload }) => decodeG711(pcmu, payload)[0] ?? 0)
      assert.deepStrictEqual([levels[0], levels[1], levels[3]], [7_932, 0, 0])
      assert.approximately(20 * Math.log10(8_000 / (levels[2] ?? 1)), 15, 0.3)
    }))

  test("is lost after 30 s without a first packet", ({ told, tick }) =>
    Effect.sync(() => {
      tick(1_500)
      assert.deepStrictEqual(told, [])
      tick(1)
      assert.strictEqual(told[0], "lost")
    }))

  test("is lost 20 s after the last packet, but not while the peer holds the call", ({ peer, session, told, tick }) =>
    Effect.gen(function* () {
      tick(900)
      yield* peer.send(rtpBytes({ sequence: 1 }), session.port)
      yield* Effect.promise(() => until(() => session.hasHeard))
      tick(999)
      yield* session.agree({ ...peer.agreed, sends: false })
      tick(5_000)
      yield* session.agree(peer.agreed)
      yield* session.agree(peer.agreed)
      tick(1_000)
      assert.deepStrictEqual(told, ["held", "back"])
      tick(1)
      assert.strictEqual(told[2], "lost")
    }))

  test("keeps sound back while keys are sent", ({ path, tick }) =>
    Effect.sync(() => {
      path.sendDigits("1")
      assert.isFalse(path.send(1, new Int16Array(160)))
      tick(10)
      assert.isTrue(path.send(1, new Int16Array(160)))
    }))

  test("sends sound again when the peer stops taking keys in the middle of some", ({ path, peer, session, tick }) =>
    Effect.gen(function* () {
      path.sendDigits("123")
      tick(2)
      yield* session.agree({ ...peer.agreed, keys: null })
      tick(1)
      assert.isTrue(path.send(1, new Int16Array(160)))
    }))

  it.live("reports a hold that began before the line was attached", () =>
    Effect.gen(function* () {
      const { peer, session } = yield* opened
      yield* session.agree({ ...peer.agreed, sends: false })
      const told: Array<string> = []
      const say = (what: string) => () => void told.push(what)
      const listener = { heard: say("heard"), played: say("played"), replaced: say("replaced"), wrote: say("wrote") }
      new RtpPath(session).attach({
        ...listener,
        key: say("key"),
        peerHeld: say("held"),
        peerBack: say("back"),
        gone: say("gone"),
      })
      assert.deepStrictEqual(told, ["held"])
    }).pipe(Effect.scoped, Effect.provide(sessions)),
  )
})

/** So long that a test that looks every 20 ms sees the sound while it plays. */
const stepMs = 5

/**
 * A line to a telephone at the other end of real sockets, which sends a packet for each that it receives. The next frame
 * begins when the packet of the last one is answered, so that none is late.
 */
const called = Effect.fnUntraced(function* (step: () => void) {
  const { peer, session } = yield* opened
  const { event, line } = yield* toneLine(new RtpPath(session), { heard: heardRate, spoken: spokenRate })
  let sequence = 0
  let saying: Int16Array = new Int16Array(0)
  const answer = () => {
    const payload = Buffer.alloc(160, pcmu.silence)
    encodeG711(pcmu, saying.subarray(0, 160), payload, 0)
    saying = saying.subarray(160)
    return peer.send(rtpBytes({ sequence: sequence++, payload }), session.port)
  }
  yield* Effect.forkScoped(
    Effect.gen(function* () {
      for (let answered = 0; ; answered++) {
        step()
        while (peer.packets.length <= answered) yield* Effect.sleep("1 millis")
        yield* answer()
        yield* Effect.sleep(stepMs)
      }
    }),
  )
  return {
    peer,
    session,
    line,
    event,
    say: (text: string) => void (saying = spoken(text, 8_000)),
    levels: () => peer.packets.map(({ payload }) => levelOf(decodeG711(pcmu, payload))),
    understood: () => heard(joined(...peer.packets.map(({ payload }) => decodeG711(pcmu, payload))), 8_000),
  }
})

describe("a line over RTP", () => {
  const test = (name: string, body: (stage: Effect.Success<ReturnType<typeof called>>) => Effect.Effect<void>) =>
    it.live(name, () => {
      const { layer, step } = steppedClock()
      return called(step).pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(rtpSessions({}, layer)))
    })

  test("carries words both ways", ({ event, line, say, understood }) =>
    Effect.gen(function* () {
      yield* line.play({ id: 1, text: "hello please wait", interruptible: true })
      yield* event("Played")
      assert.strictEqual(understood(), "hello please wait")
      say("what are your opening hours")
      assert.deepInclude(yield* event("Utterance"), { text: "what are your opening hours" })
    }))

  test("is silent from the frame after an interruption on", ({ event, levels, line, peer, say, session }) =>
    Effect.gen(function* () {
      yield* line.play({ id: 1, text: "hello please wait ".repeat(10).trim(), interruptible: true })
      yield* Effect.promise(() => until(() => levels().some((level) => level > -30)))
      say("stop stop stop")
      yield* event("SpeechStarted")
      yield* line.cut
      const sent = session.quality().sent
      yield* Effect.promise(() => until(() => peer.packets.length > sent + 25))
      assert.isBelow(Math.max(...levels().slice(sent)), -70)
      assert.isNull((yield* line.moment).playing)
    }))

  test("reports a key that the caller presses, and each hold", ({ event, peer, session }) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => until(() => session.hasHeard))
      const payload = Uint8Array.of(7, 0x80, 0, 160)
      yield* peer.send(rtpBytes({ sequence: 30_000, timestamp: 9_000, payloadType: 101, payload }), session.port)
      assert.deepInclude(yield* event("Key"), { digit: "7" })
      yield* session.agree({ ...peer.agreed, sends: false })
      yield* event("PeerHeld")
      yield* session.agree(peer.agreed)
      yield* event("PeerBack")
    }))
})

describe("a burst of sound", () => {
  test("is heard once, in order", ({ frames, peer, session, tick }) =>
    Effect.gen(function* () {
      yield* Effect.forEach([0, 1, 2, 3], (sequence) =>
        peer.send(rtpBytes({ sequence, payload: levelFrame(1_000 * (sequence + 1)) }), session.port),
      )
      yield* Effect.promise(() => until(() => session.quality().received === 4))
      yield* Effect.promise(() =>
        until(() => {
          tick(1)
          return frames.some((frame) => (frame[159] ?? 0) > 3_000)
        }),
      )
      const levels = frames.map((frame) => Math.round((frame[100] ?? 0) / 1_000)).filter((level) => level > 0)
      assert.deepStrictEqual(levels.slice(0, 4), levels.slice(0, 4).toSorted())
    }))
})
