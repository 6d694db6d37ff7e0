import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { allocateRtp, isRtcp, parseRtp, rtpHeaderBytes } from "../../../src/telephony/rtp/RtpPacket.ts"
import { mutantsOf } from "../../support/Mutants.ts"

const header = { payloadType: 0, marker: false, sequence: 1, timestamp: 160, ssrc: 7 }
const packetOf = (changes: Partial<typeof header>, payload: Uint8Array) => {
  const bytes = allocateRtp({ ...header, ...changes }, payload.length)
  bytes.set(payload, 12)
  return bytes
}
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")

describe("a packet of RTP", () => {
  const some = fc.record({
    payloadType: fc.constantFrom(0, 8, 13, 63, 96, 101, 127),
    marker: fc.boolean(),
    sequence: fc.integer({ min: 0, max: 0xffff }),
    timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
    ssrc: fc.integer({ min: 0, max: 0xffff_ffff }),
  })
  it("is read as it was written", () => {
    fc.assert(
      fc.property(some, fc.uint8Array({ maxLength: 400 }), (fields, payload) => {
        assert.deepEqual(parseRtp(packetOf(fields, payload)), { ...fields, payload: Buffer.from(payload) })
      }),
    )
  })
  it.each([
    ["two contributing sources", "82 00 0001 000000a0 00000007 11111111 22222222 aabb", "aabb"],
    ["an extension", "90 00 0001 000000a0 00000007 bede 0001 01020304 aabb", "aabb"],
    ["an extension of no words", "90 00 0001 000000a0 00000007 bede 0000 aabb", "aabb"],
    ["padding", "a0 00 0001 000000a0 00000007 aabb 00 00 03", "aabb"],
    ["a source, an extension and padding", "b1 00 0001 000000a0 00000007 11111111 bede 0001 01020304 aabb 01", "aabb"],
    ["no payload", "80 00 0001 000000a0 00000007", ""],
    ["nothing but padding", "a0 00 0001 000000a0 00000007 00 02", ""],
  ])("gives its payload behind %s", (_, text, payload) => {
    const packet = parseRtp(hex(text))
    assert.strictEqual(Buffer.from(packet?.payload ?? hex("00")).toString("hex"), payload)
    assert.strictEqual(packet?.timestamp, 160)
  })
  it.each([
    ["nothing", ""],
    ["less than a header", "80 00 0001 000000a0 000000"],
    ["another version", "40 00 0001 000000a0 00000007 aabb"],
    ["more sources than bytes", "8f 00 0001 000000a0 00000007 aabb"],
    ["half an extension", "90 00 0001 000000a0 00000007 bede"],
    ["an extension longer than the packet", "90 00 0001 000000a0 00000007 bede 00ff aabb"],
    ["more padding than payload", "a0 00 0001 000000a0 00000007 aa 03"],
    ["padding of no bytes", "a0 00 0001 000000a0 00000007 aa 00"],
    ["padding without a byte for its length", "a0 00 0001 000000a0 00000007"],
    ["a report of RTCP", "80 c8 0006 00000007 00000000 00000000 00000000 00000000 00000000"],
  ])("is not %s", (_, text) => {
    assert.isNull(parseRtp(hex(text)))
  })
  it("has a payload type that cannot be confused with RTCP", () => {
    const typed = (payloadType: number, marker: boolean) => isRtcp(packetOf({ payloadType, marker }, new Uint8Array(4)))
    assert.isFalse([0, 8, 13, 96, 101, 127].some((type) => typed(type, true) || typed(type, false)))
    assert.isTrue([200, 201, 202, 203, 204, 205, 206].every((type) => typed(type & 0x7f, true)))
  })
  it("survives 100,000 mutants of valid packets: what is read lies within the bytes", () => {
    const valid = [
      packetOf({ marker: true }, new Uint8Array(160)),
      hex("b1 00 0001 000000a0 00000007 11111111 bede 0001 01020304 aabbccdd 00 02"),
    ]
    for (const mutant of mutantsOf(valid, 100_000)) {
      const packet = parseRtp(mutant)
      if (packet !== null && (rtpHeaderBytes(mutant) ?? 0) + packet.payload.length > mutant.length) {
        assert.fail(Buffer.from(mutant).toString("hex"))
      }
    }
  })
})
