import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { KeyReader, KeySender } from "../../../src/telephony/rtp/TelephoneEvents.ts"
import { mutantsOf } from "../../support/Mutants.ts"

interface Sent {
  readonly payload: Uint8Array
  readonly timestamp: number
  readonly marker: boolean
}

const framesOf = (digits: string, first = 0) => {
  const sender = new KeySender()
  sender.press(digits)
  return Array.from({ length: 2_000 }, (_, at) => sender.next((first + at * 160) >>> 0))
}
const packetsOf = (digits: string, first = 0): Array<Sent> =>
  framesOf(digits, first).flatMap((frame) => (frame?.event ? [frame.event] : []))

const read = (packets: ReadonlyArray<Sent>) => {
  const reader = new KeyReader()
  return packets.map(({ payload, timestamp }) => reader.hear(payload, timestamp) ?? "").join("")
}

describe("keys of the telephone", () => {
  it("are sent for 120 ms under the time stamp at which they began, their end three times, 80 ms apart", () => {
    const packets = packetsOf("5#", 800)
    const first = packets.slice(0, 8)
    assert.deepStrictEqual(
      first.map(({ payload }) => [...payload].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")),
      [
        ...["05 0a 00 a0", "05 0a 01 40", "05 0a 01 e0", "05 0a 02 80", "05 0a 03 20"],
        ...["05 8a 03 c0", "05 8a 03 c0", "05 8a 03 c0"],
      ],
    )
    assert.deepStrictEqual(
      packets.map(({ timestamp }) => timestamp),
      [...Array.from({ length: 8 }, () => 800), ...Array.from({ length: 8 }, () => 800 + 10 * 160)],
    )
    assert.deepStrictEqual(
      packets.flatMap(({ marker }, at) => (marker ? [at] : [])),
      [0, 8],
    )
    assert.strictEqual(framesOf("5#").filter((frame) => frame !== null).length, 20)
  })
  it("pause at a comma, and skip characters that are not keys", () => {
    assert.strictEqual(framesOf("1,2").filter((frame) => frame !== null).length, 45)
    assert.strictEqual(read(packetsOf("1-2 x(3)d")), "123D")
  })
  it("are reported once each, with the first packet that arrives, for every pattern of losses", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789*#ABCD"), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        digits,
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.infiniteStream(fc.nat(7)),
        (text, first, kept) => {
          // One packet of each key always arrives, others do or come twice.
          const packets = packetsOf(text, first)
          const arrived = Array.from(text).flatMap((_, key) => {
            const own = packets.slice(key * 8, key * 8 + 8)
            const from = kept.next().value
            return own.filter((_, at) => at >= from).flatMap((one) => (one.marker ? [one, one] : [one]))
          })
          assert.strictEqual(read(arrived), text)
        },
      ),
    )
  })
  it("are reported even if their end is lost, and the same key twice if it is pressed twice", () => {
    const packets = packetsOf("77")
    assert.strictEqual(read(packets.filter(({ payload }) => ((payload[1] ?? 0) & 0x80) === 0)), "77")
    assert.strictEqual(read(packets.filter((_, at) => at === 7 || at === 15)), "77")
  })
  it("are not reported again for reordered packets", () => {
    const [first, second] = [packetsOf("1", 0), packetsOf("2", 1_600)]
    assert.strictEqual(read([...first.slice(0, 5), ...second, ...first.slice(5)]), "12")
  })
  it("are one key, however long it is held", () => {
    const held = (timestamp: number, duration: number) => ({
      payload: Uint8Array.of(3, 10, duration >> 8, duration & 0xff),
      timestamp,
      marker: false,
    })
    assert.strictEqual(read([held(0, 160), held(0, 0xffff), held(0xffff, 160), held(0xffff, 320)]), "3")
  })
  it("are not reported for flashes, tones and 100,000 mutants, none of which throws", () => {
    assert.strictEqual(read([{ payload: Uint8Array.of(16, 0x8a, 0, 160), timestamp: 1, marker: true }]), "")
    const reader = new KeyReader()
    let timestamp = 0
    for (const mutant of mutantsOf(
      packetsOf("1").map(({ payload }) => payload),
      100_000,
    )) {
      const key = reader.hear(mutant, timestamp++)
      if (key !== null && !/^[0-9*#A-D]$/.test(key)) assert.fail(key)
    }
  })
})
