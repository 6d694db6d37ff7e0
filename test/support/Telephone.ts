/**
 * A telephone behind a SIP trunk at 127.0.0.1. It calls or is called, speaks, presses keys, and keeps what it hears.
 */
import { Effect, Schedule } from "effect"
import { decodeG711, encodeG711, pcmu } from "../../src/speech/G711.ts"
import { newId } from "../../src/telephony/sip/Ids.ts"
import { type Request, type Response, writeRequest, fieldOf } from "../../src/telephony/sip/Message.ts"
import { within, finalOf, inviteFrom } from "./Ringing.ts"
import { rtpBytes, rtpPeer } from "./RtpPeer.ts"
import { openRaw, respond } from "./SipAgents.ts"
import { againUntil } from "./Until.ts"

const rate = 8_000
const frameLength = rate / 50
const keyType = 101

const portIn = (sdp: string): number => Number(/m=audio (\d+)/.exec(sdp)?.[1])

/** The payload of an RFC 4733 packet for a key. `isEnd` is true once the key is released. */
const keyBytes = (digit: string, isEnd: boolean): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes[0] = "0123456789*#".indexOf(digit)
  bytes[1] = isEnd ? 0x8a : 0x0a
  bytes.writeUInt16BE(800, 2)
  return bytes
}

/** `port` is Parley's SIP port. */
export const telephone = Effect.fnUntraced(function* (port: number) {
  const sip = yield* openRaw
  const rtp = yield* rtpPeer
  const description =
    `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n` +
    `m=audio ${rtp.port} RTP/AVP 0 ${keyType}\r\na=rtpmap:${keyType} telephone-event/8000\r\n`
  let to: number | null = null
  let sequence = 0
  const speech: Array<Int16Array> = []
  let isMuted = false
  const frame = (samples: Int16Array) => {
    const bytes = Buffer.alloc(frameLength)
    encodeG711(pcmu, samples, bytes, 0)
    return bytes
  }
  // Send a frame for each 20 ms of time. Frames that are late are sent at once.
  const began = performance.now()
  let ticks = 0
  const tick = Effect.suspend(() => {
    const due = Math.floor((performance.now() - began) / 20)
    const sends: Array<Effect.Effect<void>> = []
    for (; ticks < due; ticks++) {
      const samples = speech.shift() ?? new Int16Array(frameLength)
      if (to === null || isMuted) continue
      sends.push(rtp.send(rtpBytes({ sequence: sequence++, payload: frame(samples) }), to))
    }
    return Effect.all(sends, { discard: true })
  })
  yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced("10 millis")))

  const say = (samples: Int16Array) => {
    for (let at = 0; at < samples.length; at += frameLength) {
      const part = new Int16Array(frameLength)
      part.set(samples.subarray(at, at + frameLength))
      speech.push(part)
    }
  }

  return {
    port: sip.localPort,
    sip,
    say,
    /** Says the samples, again and again, until `holds`. */
    sayUntil: (samples: Int16Array, holds: () => boolean | Promise<boolean>) =>
      Effect.promise(() => againUntil(() => say(samples), holds)),
    /** Stops sending sound. */
    mute: () => void (isMuted = true),
    press: Effect.fnUntraced(function* (digit: string) {
      if (to === null) return
      const timestamp = sequence * frameLength
      for (const [at, isEnd] of [false, false, true, true, true].entries()) {
        const packet = { sequence: sequence++, timestamp, payloadType: keyType, marker: at === 0 }
        yield* rtp.send(rtpBytes({ ...packet, payload: keyBytes(digit, isEnd) }), to)
      }
    }),
    /** Everything heard so far. */
    heard: (): Int16Array => {
      const packets = rtp.packets.filter(({ payloadType }) => payloadType === 0)
      const samples = new Int16Array(packets.length * frameLength)
      packets.forEach(({ payload }, at) => samples.set(decodeG711(pcmu, payload), at * frameLength))
      return samples
    },
    keys: () => rtp.packets.filter(({ payloadType }) => payloadType === keyType).map(({ payload }) => payload[0]),
    /** Calls this number at a Parley, and talks. Returns the final response. */
    ring: Effect.fnUntraced(function* (number: string, from?: string) {
      yield* sip.send(inviteFrom(sip, number, { body: description, ...(from === undefined ? {} : { from }) }), port)
      const answer: Response = yield* finalOf(sip.takeResponse)
      if (answer.status !== 200) return answer
      to = portIn(answer.body.toString())
      yield* sip.send(within(sip, answer, "ACK", 1), port)
      return answer
    }),
    hangUp: (answer: Response) => sip.send(within(sip, answer, "BYE", 2), port),
    /** The next call to this telephone, which rings. */
    rung: Effect.tap(sip.takeRequest("INVITE"), (invite) => sip.send(respond(invite, 180), port)),
    /** Early media: the trunk connects this telephone's sound to the caller before the call is answered. */
    progress: Effect.fnUntraced(function* (invite: Request) {
      to = portIn(invite.body.toString())
      yield* sip.send(respond(invite, 183, { body: description, fields: [sip.contact()] }), port)
    }),
    pickUp: Effect.fnUntraced(function* (invite: Request) {
      to = portIn(invite.body.toString())
      yield* sip.send(respond(invite, 200, { body: description, fields: [sip.contact()] }), port)
      yield* sip.takeRequest("ACK")
    }),
    refuse: (invite: Request, status: number) => sip.send(respond(invite, status), port),
    /** Hangs up as the called telephone: a BYE in the other direction. */
    hangUpOn: (invite: Request) =>
      sip.send(
        writeRequest(
          "BYE",
          "sip:parley@127.0.0.1",
          [
            ["via", `SIP/2.0/UDP 127.0.0.1:${sip.localPort()};branch=z9hG4bK${newId()};rport`],
            ["from", `${fieldOf(invite, "to")};tag=far`],
            ["to", fieldOf(invite, "from") ?? ""],
            ["call-id", invite.callId],
            ["cseq", "1 BYE"],
            ["max-forwards", "70"],
          ],
          Buffer.alloc(0),
        ),
        port,
      ),
    /** The next BYE or CANCEL, which is confirmed. */
    ended: Effect.fnUntraced(function* (method: "BYE" | "CANCEL") {
      const request = yield* sip.takeRequest(method)
      // Another Parley process than the one that placed the call may end it.
      yield* sip.send(respond(request, 200), request.vias[0].port ?? port)
      return request
    }),
  }
})
