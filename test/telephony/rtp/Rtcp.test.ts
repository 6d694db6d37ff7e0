import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Reception } from "../../../src/telephony/rtp/Reception.ts"
import { RtcpExchange } from "../../../src/telephony/rtp/RtcpExchange.ts"
import { parseRtcp, toCompactTime, writeRtcp } from "../../../src/telephony/rtp/RtcpPacket.ts"
import { mutantsOf } from "../../support/Mutants.ts"

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")
const word = fc.integer({ min: 0, max: 0xffff_ffff })
const block = fc.record({
  ssrc: word,
  fractionLost: fc.nat(255),
  lost: fc.integer({ min: -0x80_0000, max: 0x7f_ffff }),
  highest: word,
  jitter: word,
  lastReport: word,
  sinceReport: word,
})
const sender = fc.record({ clockMs: fc.nat(4_000_000_000), timestamp: word, packets: word, bytes: word })

describe("a packet of RTCP", () => {
  it("is read as it was written", () => {
    const report = fc.record({
      ssrc: word,
      sender: fc.option(sender),
      blocks: fc.array(block, { maxLength: 31 }),
    })
    fc.assert(
      fc.property(
        report,
        fc.boolean(),
        fc.string({ unit: "grapheme-ascii", maxLength: 255 }),
        (report, leaves, name) => {
          const bytes = writeRtcp(report, name, leaves)
          assert.strictEqual(bytes.length % 4, 0)
          const read = parseRtcp(bytes)
          assert.deepStrictEqual(read?.byes, leaves ? [report.ssrc] : [])
          const [same] = read?.reports ?? []
          assert.deepStrictEqual(same?.blocks, report.blocks)
          assert.closeTo(same?.sender?.clockMs ?? 0, report.sender?.clockMs ?? 0, 0.001)
          assert.strictEqual(same?.sender?.timestamp, report.sender?.timestamp)
        },
      ),
    )
  })
  it("has the layout of RFC 3550", () => {
    const report = {
      ssrc: 0x0a0b_0c0d,
      sender: { clockMs: 1_500, timestamp: 160, packets: 2, bytes: 320 },
      blocks: [
        { ssrc: 7, fractionLost: 128, lost: -1, highest: 0x0001_0002, jitter: 3, lastReport: 4, sinceReport: 5 },
      ],
    }
    assert.strictEqual(
      writeRtcp(report, "ab", true).toString("hex"),
      [
        ...["81c8000c 0a0b0c0d 00000001 80000000 000000a0 00000002 00000140"],
        ...["00000007 80ffffff 00010002 00000003 00000004 00000005"],
        ...["81ca0003 0a0b0c0d 01026162 00000000", "81cb0001 0a0b0c0d"],
      ]
        .join("")
        .replaceAll(" ", ""),
    )
  })
  it("is read without the parts of unknown types", () => {
    const unknown = hex("80cc0002 00000007 41424344")
    const report = writeRtcp({ ssrc: 1, sender: null, blocks: [] }, "a", false)
    assert.strictEqual(parseRtcp(Buffer.concat([unknown, report, unknown]))?.reports.length, 1)
  })
  it.each([
    ["nothing", ""],
    ["half a header", "80c9"],
    ["another version", "00c90001 00000007"],
    ["longer than its bytes", "80c90002 00000007"],
    ["fewer blocks than it says", "82c90007 00000007 00000007 80ffffff 00010002 00000003 00000004 00000005"],
    ["a sender's without its body", "80c80001 00000007"],
    ["a farewell of more sources than it has", "85cb0001 00000007"],
  ])("is not %s", (_, text) => {
    assert.isNull(parseRtcp(hex(text)))
  })
  it("survives 100,000 mutants of valid packets", () => {
    const blocks = [{ ssrc: 7, fractionLost: 1, lost: 1, highest: 2, jitter: 3, lastReport: 4, sinceReport: 5 }]
    const sender = { clockMs: 1, timestamp: 2, packets: 3, bytes: 4 }
    const valid = [
      writeRtcp({ ssrc: 1, sender, blocks: [...blocks, ...blocks] }, "name", true),
      writeRtcp({ ssrc: 1, sender: null, blocks }, "name", false),
    ]
    const exchange = new RtcpExchange(7, "name")
    let read = 0
    for (const mutant of mutantsOf(valid, 100_000)) read += exchange.hear(mutant, 1_000) ? 1 : 0
    assert.isAtLeast(read, 1_000)
  })
})

describe("the exchange of reports", () => {
  it("tells both sides the round trip, even if their clocks differ, and the losses of each", () => {
    const [us, peer] = [new RtcpExchange(1, "us"), new RtcpExchange(2, "peer")]
    const peersClock = 777_777
    const sent = { timestamp: 0, packets: 1, bytes: 160 }
    const reception = new Reception(1)
    for (const sequence of [1, 2, 4]) reception.count(sequence)

    peer.hear(us.report({ ...sent, clockMs: 10_000 }, null, 10_000, false), peersClock + 10_040)
    const answer = peer.report({ ...sent, clockMs: peersClock + 12_000 }, reception, peersClock + 12_000, false)
    us.hear(answer, 12_050)
    assert.closeTo(us.roundTripMs ?? 0, 90, 0.1)
    assert.strictEqual(us.peerLost, 64 / 256)
    peer.hear(us.report(null, new Reception(2), 13_000, false), peersClock + 13_040)
    assert.closeTo(peer.roundTripMs ?? 0, 90, 0.1)
  })
  it("ignores a report on another source, and one that answers none of our reports", () => {
    const us = new RtcpExchange(1, "us")
    const blocks = [{ ssrc: 1, fractionLost: 0, lost: 0, highest: 0, jitter: 0, lastReport: 0, sinceReport: 0 }]
    const times = { fractionLost: 99, lastReport: toCompactTime(1_000) }
    us.hear(writeRtcp({ ssrc: 2, sender: null, blocks }, "peer", false), 1_100)
    us.hear(writeRtcp({ ssrc: 2, sender: null, blocks: [{ ...blocks[0]!, ...times, ssrc: 3 }] }, "peer", false), 1_100)
    us.hear(writeRtcp({ ssrc: 2, sender: null, blocks: [{ ...blocks[0]!, lastReport: 12_345 }] }, "peer", false), 1_100)
    assert.isNull(us.roundTripMs)
    assert.strictEqual(us.peerLost, 0)
  })
  it("notes that the peer has left", () => {
    const [us, peer] = [new RtcpExchange(1, "us"), new RtcpExchange(2, "peer")]
    us.hear(peer.report(null, null, 0, false), 0)
    assert.isFalse(us.hasLeft)
    us.hear(peer.report(null, null, 0, true), 0)
    assert.isTrue(us.hasLeft)
  })
})
