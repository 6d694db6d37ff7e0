import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pcma, pcmu } from "../../../src/speech/G711.ts"
import { RtpReceiver } from "../../../src/telephony/rtp/RtpReceiver.ts"

const laws = { pcmu, pcma }
const format = { codec: pcmu, payloadType: 0, keys: null, comfortNoise: null }
const frames = 60

interface Peer {
  /** Its packets are filled with this byte and the next one in turn. */
  readonly byte: number
  readonly law: keyof typeof laws
  /** Samples of a packet. */
  readonly length: number
}

const callWith = ({ byte, law, length }: Peer) => {
  const { payloadType, samples } = laws[law]
  const receiver = new RtpReceiver()
  const own = new Set([0, 1].map((step) => samples[byte + step]))
  const held: Array<{ readonly frame: Int16Array; readonly asRead: Array<number> }> = []
  let sent = 0
  return {
    own,
    held,
    hear: (at: number) => {
      for (; sent + length <= (at + 1) * 160; sent += length) {
        const sequence = sent / length
        const payload = new Uint8Array(length).fill(byte + (sequence % 2))
        const packet = { payload, payloadType, marker: false, sequence, ssrc: 1, timestamp: sent }
        receiver.hear(packet, format, 1_000 + at * 20)
      }
    },
    read: (at: number) => {
      const frame = receiver.read(1_000 + at * 20)
      held.push({ frame, asRead: [...frame] })
    },
  }
}

describe("the sound of several calls", () => {
  it("does not mix, and a frame keeps its sound while it is held, for packets of any length", () => {
    const peer = fc.record<Peer>({
      byte: fc.integer({ min: 0, max: 254 }),
      law: fc.constantFrom("pcmu", "pcma"),
      length: fc.constantFrom(80, 160, 240, 480),
    })
    fc.assert(
      fc.property(fc.array(peer, { minLength: 2, maxLength: 4 }), (peers) => {
        const calls = peers.map(callWith)
        for (let at = 0; at < frames; at++) {
          for (const { hear } of calls) hear(at)
          for (const { read } of calls) read(at)
        }
        for (const { held, own } of calls) {
          for (const { asRead, frame } of held) assert.deepStrictEqual([...frame], asRead)
          // The first frames are the silence before the delay has passed.
          assert.isTrue(held.slice(20).every(({ frame }) => frame.every((sample) => own.has(sample))))
        }
      }),
      { numRuns: 25 },
    )
  })
})
