import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { parseRtcp } from "../../../src/telephony/rtp/RtcpPacket.ts"
import { RtpSession, RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import { Ports } from "../../../src/telephony/rtp/Ports.ts"
import { makeSrtpKeys, SrtpReceiver, SrtpSender, srtpSuites } from "../../../src/telephony/rtp/Srtp.ts"
import { freePorts } from "../../support/FreePorts.ts"
import { levelFrame, loopback, rtpBytes, type RtpPeer, rtpPeer, rtpSessions } from "../../support/RtpPeer.ts"
import { until } from "../../support/Until.ts"

/** A session whose time the test makes: `pass` lets so many frames go by, and hears and sends one in each. */
const staged = Effect.gen(function* () {
  const ports = yield* Ports
  const peer = yield* rtpPeer
  const pair = yield* ports.open(loopback)
  let now = 0
  const session = new RtpSession(
    loopback,
    pair,
    () => now,
    (address) => address === loopback,
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => session.close()))
  const keys: Array<string> = []
  session.listen({ key: (digit) => void keys.push(digit), agreed: () => {} })
  const pass = (frames: number): Array<Int16Array> =>
    Array.from({ length: frames }, () => {
      now += 20
      session.send(null, 0)
      return session.hear()
    })
  const received = (count: number) => until(() => session.quality().received >= count)
  const arrived = (count: number, at: RtpPeer = peer) => Effect.promise(() => until(() => at.packets.length >= count))
  /** The peer sends a packet, which has arrived when this returns; the clock goes on by a frame. */
  const say = Effect.fnUntraced(function* (bytes: Uint8Array) {
    const { received: before } = session.quality()
    yield* peer.send(bytes, session.port)
    yield* Effect.promise(() => received(before + 1))
    return pass(1)
  })
  return { peer, session, keys, pass, arrived, say, advance: (ms: number) => void (now += ms) }
})

const test = (name: string, body: (stage: Effect.Success<typeof staged>) => Effect.Effect<void, never, never>) =>
  it.live(name, () => staged.pipe(Effect.flatMap(body), Effect.scoped, Effect.provide(rtpSessions())))

describe("the sound of a call over RTP", () => {
  test("goes on if the peer takes no reports", ({ arrived, pass, peer, session }) =>
    Effect.gen(function* () {
      yield* session.agree({ ...peer.agreed, remote: { ...peer.agreed.remote, rtcpPort: 0 } })
      // A report is due at least every 7.5 s.
      pass(400)
      yield* arrived(1)
    }))
  test("is sent in packets of 20 ms whose numbers and time stamps advance by one frame", ({
    arrived,
    pass,
    peer,
    session,
  }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      pass(5)
      session.send(new Int16Array(160).fill(1_000), 3)
      yield* arrived(6)
      const [first] = peer.packets
      assert.isTrue(first?.marker)
      const steps = peer.packets.slice(1).map(({ sequence, timestamp }, at) => {
        const before = peer.packets[at]
        return [(sequence - (before?.sequence ?? 0)) & 0xffff, (timestamp - (before?.timestamp ?? 0)) >>> 0]
      })
      // Frames that the clock skipped are a pause, and no loss.
      assert.deepStrictEqual(steps, [...Array.from({ length: 4 }, () => [1, 160]), [1, 640]])
      assert.deepStrictEqual(
        peer.packets.map(({ marker }) => marker),
        [true, false, false, false, false, true],
      )
      assert.deepStrictEqual(peer.packets.at(-1)?.payload, levelFrame(1_000))
      assert.strictEqual(session.quality().sent, 6)
    }))

  test("arrives as an even flow: losses are concealed, and there is silence before and after", ({
    pass,
    peer,
    say,
    session,
  }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      assert.isTrue(pass(3).every((frame) => frame.every((sample) => sample === 0)))
      const heard: Array<number> = []
      for (let sequence = 0; sequence < 50; sequence++) {
        const frames = sequence === 25 ? pass(1) : yield* say(rtpBytes({ sequence, payload: levelFrame(2_000) }))
        heard.push(...frames.map((frame) => frame[80] ?? 0))
      }
      const loud = heard.slice(heard.findIndex((level) => level > 0))
      assert.isAtLeast(loud.length, 44)
      assert.isTrue(loud.every((level) => Math.abs(level - 2_000) < 100))
      assert.deepInclude(session.quality(), { received: 49, lost: 1, late: 0 })
      assert.approximately(session.quality().mos ?? 0, 4.2, 0.15)
      const after = pass(40)
      assert.isTrue(after.at(-1)?.every((sample) => sample === 0))
    }))

  test("is encrypted if that was agreed, and goes on through each new agreement", ({
    arrived,
    pass,
    peer,
    say,
    session,
  }) =>
    Effect.gen(function* () {
      const [sending, receiving] = [makeSrtpKeys(srtpSuites[0]), makeSrtpKeys(srtpSuites[0])]
      const agreed = { ...peer.agreed, srtp: { sending, receiving } }
      const far = { sender: new SrtpSender(receiving), receiver: new SrtpReceiver(sending) }
      yield* session.agree(agreed)
      yield* say(far.sender.protect(rtpBytes({ sequence: 1 })))
      yield* session.agree({ ...agreed, srtp: { sending: { ...sending }, receiving: { ...receiving } } })
      yield* say(far.sender.protect(rtpBytes({ sequence: 2 })))
      // A packet in the clear, or of another key, is not the peer's.
      yield* peer.send(rtpBytes({ sequence: 3 }), session.port)
      yield* peer.send(new SrtpSender(sending).protect(rtpBytes({ sequence: 3 })), session.port)
      yield* say(far.sender.protect(rtpBytes({ sequence: 3 })))
      assert.strictEqual(session.quality().received, 3)
      // No index of our key is used twice: the receiver would refuse it as a replay.
      yield* session.agree(peer.agreed)
      pass(1)
      yield* session.agree(agreed)
      pass(2)
      yield* arrived(6)
      const clear = peer.packets.map(({ bytes }) => far.receiver.unprotect(bytes))
      assert.strictEqual(clear.filter((packet) => packet !== null).length, 5)
    }))

  test("goes where the peer's packets come from, and to no private address that is not the operator's", ({
    arrived,
    pass,
    peer,
    say,
    session,
  }) =>
    Effect.gen(function* () {
      yield* session.agree({ ...peer.agreed, remote: { host: "10.0.0.9", port: peer.port, rtcpPort: peer.port + 1 } })
      pass(10)
      assert.strictEqual(session.quality().sent, 0)
      yield* peer.send(rtpBytes({ sequence: 1 }), session.port)
      yield* peer.send(rtpBytes({ sequence: 2 }), session.port)
      yield* say(rtpBytes({ sequence: 3 }))
      yield* arrived(1)
      assert.strictEqual(session.quality().received, 1)
    }))

  test("is not redirected by a stranger's packets", ({ pass, peer, say, session }) =>
    Effect.gen(function* () {
      const stranger = yield* rtpPeer
      yield* session.agree(peer.agreed)
      for (let sequence = 0; sequence < 10; sequence++) {
        yield* stranger.send(rtpBytes({ sequence: 900 + sequence, ssrc: 9 }), session.port)
        yield* say(rtpBytes({ sequence }))
      }
      pass(5)
      assert.strictEqual(session.quality().received, 10)
      assert.lengthOf(stranger.packets, 0)
    }).pipe(Effect.scoped))

  test("stops while the peer holds the call, and reports nothing as lost", ({ arrived, pass, peer, session }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      pass(2)
      yield* session.agree({ ...peer.agreed, sends: false })
      pass(10)
      yield* session.agree(peer.agreed)
      pass(1)
      yield* arrived(3)
      const [, second, third] = peer.packets
      assert.strictEqual(((third?.sequence ?? 0) - (second?.sequence ?? 0)) & 0xffff, 1)
      assert.strictEqual(((third?.timestamp ?? 0) - (second?.timestamp ?? 0)) >>> 0, 11 * 160)
      assert.isTrue(third?.marker)
    }))

  test("carries keys in both directions, each once", ({ arrived, keys, pass, peer, say, session }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      yield* say(rtpBytes({ sequence: 1 }))
      for (const [at, end] of [0, 0, 0x80, 0x80].entries()) {
        const payload = Uint8Array.of(5, end | 10, 0, 160)
        yield* peer.send(rtpBytes({ sequence: 2 + at, timestamp: 320, payloadType: 101, payload }), session.port)
      }
      yield* say(rtpBytes({ sequence: 6 }))
      assert.deepStrictEqual(keys, ["5"])
      session.press("1#")
      pass(25)
      yield* arrived(27)
      const pressed = peer.packets.filter(({ payloadType }) => payloadType === 101)
      assert.deepStrictEqual([...new Set(pressed.map(({ payload }) => payload[0]))], [1, 11])
      assert.lengthOf(new Set(pressed.map(({ timestamp }) => timestamp)), 2)
      assert.isFalse(session.isPressing)
    }))

  test("is reported on about every 5 s, and says goodbye at its end", ({ pass, peer, say, session }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      yield* say(rtpBytes({ sequence: 1 }))
      pass(1_500)
      session.close()
      const last = yield* Effect.promise(() =>
        until(() => peer.reported.map((bytes) => parseRtcp(bytes)).find((report) => (report?.byes.length ?? 0) > 0)),
      )
      const reports = peer.reported.map((bytes) => parseRtcp(bytes)?.reports[0])
      assert.isAtLeast(reports.length, 5)
      assert.isAtMost(reports.length, 13)
      const [report] = last?.reports ?? []
      assert.strictEqual(report?.sender?.packets, 1_501)
      assert.strictEqual(report?.sender?.bytes, 1_501 * 160)
      assert.strictEqual(report?.blocks[0]?.ssrc, 7)
    }))

  test("survives any packets, and reports a flood", ({ peer, say, session }) =>
    Effect.gen(function* () {
      yield* session.agree(peer.agreed)
      yield* say(rtpBytes({ sequence: 1 }))
      for (const bytes of [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(1_400, 0xff), Buffer.alloc(1_400, 0x80)])
        yield* peer.send(bytes, session.port)
      yield* peer.send(rtpBytes({ sequence: 2, payload: new Uint8Array(9_000) }), session.port)
      yield* say(rtpBytes({ sequence: 3 }))
      assert.isFalse(session.isFlooded)
      const flooded = Effect.promise(() => new Promise((resolve) => setImmediate(() => resolve(session.isFlooded))))
      while (!(yield* flooded))
        yield* Effect.forEach(Array.from({ length: 50 }), () => peer.send(rtpBytes({ sequence: 4 }), session.port), {
          discard: true,
        })
      assert.isAtMost(session.quality().received, 260)
    }))
})

describe("an ended call", () => {
  it.live("is counted in the metrics by what arrived of its sound", () =>
    Effect.gen(function* () {
      const peer = yield* rtpPeer
      yield* Effect.scoped(
        Effect.gen(function* () {
          const sessions = yield* RtpSessions
          const session = yield* sessions.open({ localAddress: loopback, isOwnNetwork: () => true })
          yield* session.agree(peer.agreed)
          for (const sequence of [1, 2, 4]) yield* peer.send(rtpBytes({ sequence }), session.port)
          yield* Effect.promise(() => until(() => session.quality().received === 3))
        }),
      )
      const metrics = yield* PrometheusMetrics.format()
      assert.match(metrics, /^parley_sound_packets_total\{fate="played"\} 3$/m)
      assert.match(metrics, /^parley_sound_packets_total\{fate="lost"\} 1$/m)
      assert.match(metrics, /^parley_sound_mos_count 1$/m)
    }).pipe(Effect.scoped, Effect.provide(rtpSessions()), Effect.provideService(Metric.MetricRegistry, new Map())),
  )
})

/** Five calls at a time take all of the ports. */
const sessionsInTenPorts = async () => {
  const first = await freePorts(10)
  return rtpSessions({ PARLEY_MEDIA_PORTS: `${first}-${first + 9}` })
}

describe("many calls, one after another", () => {
  it.live("leave no open socket and no port in use", () =>
    Effect.gen(function* () {
      const sessions = yield* RtpSessions
      const peer = yield* rtpPeer
      const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "UDPWRAP").length
      const before = sockets()
      const call = Effect.gen(function* () {
        const session = yield* sessions.open({ localAddress: loopback, isOwnNetwork: () => true })
        yield* session.agree(peer.agreed)
        yield* peer.send(rtpBytes({ sequence: 1 }), session.port)
        session.send(null, 0)
        session.hear()
      })
      yield* Effect.replicateEffect(Effect.scoped(call), 500, { concurrency: 5, discard: true })
      assert.strictEqual(sockets(), before)
      const opened = yield* Effect.replicateEffect(
        sessions.open({ localAddress: loopback, isOwnNetwork: () => true }),
        5,
      )
      assert.lengthOf(new Set(opened.map(({ port }) => port)), 5)
    }).pipe(Effect.scoped, Effect.provide(Layer.unwrap(Effect.promise(sessionsInTenPorts)))),
  )
})

describe("a session's address", () => {
  const open = (env: Record<string, string>, localAddress = loopback) =>
    Effect.gen(function* () {
      const sessions = yield* RtpSessions
      return yield* sessions.open({ localAddress, isOwnNetwork: () => true })
    }).pipe(Effect.scoped, Effect.provide(rtpSessions(env)))
  it.live("is the local one by which the peer is reached, or the one of the settings for its IP version", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* open({})).host, loopback)
      const settings = { PARLEY_MEDIA_HOST: "203.0.113.5, 2001:db8::5" }
      assert.strictEqual((yield* open(settings)).host, "203.0.113.5")
      assert.strictEqual((yield* open(settings, "::1")).host, "2001:db8::5")
      assert.strictEqual((yield* open({ PARLEY_MEDIA_HOST: "203.0.113.5" }, "::1")).host, "::1")
    }),
  )
})
