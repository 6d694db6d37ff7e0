import { assert, describe, it } from "@effect/vitest"
import { createCipheriv } from "node:crypto"
import * as fc from "fast-check"
import { allocateRtp } from "../../../src/telephony/rtp/RtpPacket.ts"
import {
  deriveSessionKey,
  makeSrtpKeys,
  SrtpReceiver,
  SrtpSender,
  srtpSuites,
} from "../../../src/telephony/rtp/Srtp.ts"
import { dose } from "../../support/Dose.ts"
import { mutantsOf } from "../../support/Mutants.ts"

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")
const [strong, short] = srtpSuites
/** The master key and salt of RFC 3711 B.3, which the tests of libsrtp use as well. */
const keys = { suite: strong, secret: hex("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6") }

const packetOf = (sequence: number, ssrc = 7, payload = Buffer.alloc(160, sequence & 0xff)) => {
  const header = { payloadType: 0, marker: false, sequence: sequence & 0xffff, timestamp: sequence * 160, ssrc }
  const packet = allocateRtp({ ...header, timestamp: header.timestamp >>> 0 }, payload.length)
  packet.set(payload, 12)
  return packet
}

describe("SRTP: the vectors of RFC 3711 and libsrtp", () => {
  it("B.2: the keystream of AES in counter mode", () => {
    const key = hex("2B7E151628AED2A6ABF7158809CF4F3C")
    const stream = createCipheriv("aes-128-ctr", key, hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000")).update(Buffer.alloc(48))
    const expected =
      "E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0"
    assert.deepStrictEqual(stream, hex(expected))
  })
  it("B.3: the session keys", () => {
    assert.deepStrictEqual(deriveSessionKey(keys, 0, 16), hex("C61E7A93744F39EE10734AFE3FF7A087"))
    assert.deepStrictEqual(deriveSessionKey(keys, 2, 14), hex("30CBBC08863D8C85D49DB34A9AE1"))
    assert.deepStrictEqual(deriveSessionKey(keys, 1, 20), hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
  })
  it("srtp_validate: a packet of RTP, encrypted and back", () => {
    const plain = hex("800f1234decafbadcafebabe abababababababababababababababab")
    const sealed = hex("800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb")
    assert.deepStrictEqual(new SrtpSender(keys).protect(plain), sealed)
    assert.deepStrictEqual(new SrtpReceiver(keys).unprotect(sealed), plain)
  })
  it("srtp_validate: a packet of RTCP, encrypted and back", () => {
    const plain = hex("81c8000bcafebabe abababababababababababababababab")
    const sealed = hex("81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798")
    assert.deepStrictEqual(new SrtpSender(keys).protectRtcp(plain), sealed)
    assert.deepStrictEqual(new SrtpReceiver(keys).unprotectRtcp(sealed), plain)
  })
})

describe("SRTP", () => {
  it.each([
    [strong, 10],
    [short, 4],
  ] as const)("adds a tag to what it encrypts: $0", (suite, tag) => {
    const keys = makeSrtpKeys(suite)
    const [sender, receiver] = [new SrtpSender(keys), new SrtpReceiver(keys)]
    for (let sequence = 60_000; sequence < 60_050; sequence++) {
      const sealed = sender.protect(packetOf(sequence))
      assert.strictEqual(sealed.length, 172 + tag)
      assert.deepStrictEqual(receiver.unprotect(sealed), packetOf(sequence))
    }
    const report = hex("80c90001 00000007")
    assert.deepStrictEqual(receiver.unprotectRtcp(sender.protectRtcp(report)), report)
  })
  it("goes on for three rounds of sequence numbers, with losses and reordered packets", () => {
    const [sender, receiver] = [new SrtpSender(keys), new SrtpReceiver(keys)]
    for (let sequence = 65_000; sequence < 65_000 + 3 * 65_536; sequence += 100) {
      const first = sender.protect(packetOf(sequence, 7, Buffer.alloc(1)))
      const second = sender.protect(packetOf(sequence + 50, 7, Buffer.alloc(1)))
      if (receiver.unprotect(second) === null || receiver.unprotect(first) === null) assert.fail(String(sequence))
    }
  })
  it("accepts no packet twice, and none that is older than the window", () => {
    const [sender, receiver] = [new SrtpSender(keys), new SrtpReceiver(keys)]
    const sealed = Array.from({ length: 300 }, (_, at) => sender.protect(packetOf(at)))
    assert.isNotNull(receiver.unprotect(sealed[200]!))
    assert.isNull(receiver.unprotect(sealed[200]!))
    assert.isNotNull(receiver.unprotect(sealed[100]!))
    assert.isNull(receiver.unprotect(sealed[100]!))
    assert.isNull(receiver.unprotect(sealed[72]!))
    assert.isNotNull(receiver.unprotect(sealed[73]!))
    const report = sender.protectRtcp(hex("80c90001 00000007"))
    assert.isNotNull(receiver.unprotectRtcp(report))
    assert.isNull(receiver.unprotectRtcp(report))
  })
  it("keeps the rollover counts of several sources apart", () => {
    const [one, two, receiver] = [new SrtpSender(keys), new SrtpSender(keys), new SrtpReceiver(keys)]
    for (let sequence = 0; sequence < 200_000; sequence += 20_000) {
      assert.isNotNull(receiver.unprotect(one.protect(packetOf(sequence, 1))))
      assert.isNotNull(receiver.unprotect(two.protect(packetOf(sequence / 100, 2))))
    }
  })
  it("rejects packets that are changed, cut off, or sealed with other keys, and does not throw", () => {
    const sender = new SrtpSender(keys)
    const [rtp, rtcp] = [sender.protect(packetOf(9)), sender.protectRtcp(hex("80c90001 00000007"))]
    const receiver = new SrtpReceiver(keys)
    for (const mutant of mutantsOf([rtp, rtcp], dose(10_000, 100_000))) {
      if (receiver.unprotect(mutant) !== null && !mutant.equals(rtp)) assert.fail(mutant.toString("hex"))
      if (receiver.unprotectRtcp(mutant) !== null && !mutant.equals(rtcp)) assert.fail(mutant.toString("hex"))
    }
    assert.isNull(new SrtpReceiver(makeSrtpKeys(strong)).unprotect(rtp))
  })
  it("does not mistake a forged packet for the newest of its source", () => {
    const [sender, receiver] = [new SrtpSender(keys), new SrtpReceiver(keys)]
    assert.isNotNull(receiver.unprotect(sender.protect(packetOf(10))))
    const forged = new SrtpSender(makeSrtpKeys(strong)).protect(packetOf(40_000))
    assert.isNull(receiver.unprotect(forged))
    assert.isNotNull(receiver.unprotect(sender.protect(packetOf(11))))
  })
  it("every sealed packet is opened, with sources and extensions in the clear", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 0xffff }), (payload, sequence) => {
        const header = hex("91 00 0000 00000000 00000007 11111111 bede 0001 01020304")
        header.writeUInt16BE(sequence, 2)
        const packet = Buffer.concat([header, payload])
        const sealed = new SrtpSender(keys).protect(packet)
        assert.deepStrictEqual(sealed.subarray(0, 24), packet.subarray(0, 24))
        assert.deepStrictEqual(new SrtpReceiver(keys).unprotect(sealed), packet)
      }),
    )
  })
})
