import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type AgreedSound,
  answerOffer,
  type LocalSound,
  readAnswer,
  writeOffer,
} from "../../../src/telephony/rtp/Sdp.ts"
import { Keyring } from "../../../src/telephony/rtp/Sdes.ts"
import { mutantsOf } from "../../support/Mutants.ts"

const localWith = (changes: Partial<LocalSound> = {}): LocalSound => ({
  host: "192.0.2.1",
  port: 20_000,
  session: 42,
  version: 1,
  direction: "sendrecv",
  keyring: new Keyring(),
  encrypted: false,
  ...changes,
})
const head = ["v=0", "o=- 1 1 IN IP4 198.51.100.7", "s=-", "c=IN IP4 198.51.100.7", "t=0 0"]
const sdp = (...lines: ReadonlyArray<string>) => [...head, ...lines, ""].join("\r\n")
const key = "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"
const answered = (offer: string, local = localWith()) => {
  const answer = answerOffer(offer, local)
  if (Result.isFailure(answer)) return assert.fail(answer.failure.message)
  return { agreed: answer.success.agreed, lines: answer.success.text.split("\r\n") }
}
const mediaOf = (lines: ReadonlyArray<string>) => lines.filter((line) => line.startsWith("m="))
const directionOf = (lines: ReadonlyArray<string>) =>
  lines.find((line) => /^a=(?:sendrecv|sendonly|recvonly|inactive)$/.test(line))?.slice(2)

describe("an answer over IPv6", () => {
  const offer = sdp("m=audio 4000 RTP/AVP 0").replaceAll("IP4 198.51.100.7", "IP6 2001:db8::20")
  const local = localWith({ host: "2001:db8::1" })
  it("names our IPv6 address, and the sound goes to the peer's", () => {
    const { agreed, lines } = answered(offer, local)
    assert.includeMembers([...lines], ["o=parley 42 1 IN IP6 2001:db8::1", "c=IN IP6 2001:db8::1"])
    assert.deepStrictEqual(agreed.remote, { host: "2001:db8::20", port: 4_000, rtcpPort: 4_001 })
  })
  it("accepts the section with our IP version, and refuses those with the other", () => {
    const both = `${sdp("m=audio 4000 RTP/AVP 0", "m=audio 5000 RTP/AVP 0", "c=IN IP6 2001:db8::20")}`
    assert.deepStrictEqual(mediaOf(answered(both, local).lines), ["m=audio 0 RTP/AVP 0", "m=audio 20000 RTP/AVP 0"])
    for (const [theirs, ours] of [[offer, localWith()] as const, [sdp("m=audio 4000 RTP/AVP 0"), local] as const]) {
      const answer = answerOffer(theirs, ours)
      assert.include(Result.isFailure(answer) ? answer.failure : {}, { reason: "no_address" })
    }
  })
  it("puts the call on hold for an address of zeros, in either notation", () => {
    for (const nowhere of ["IP6 ::", "IP4 0.0.0.0"]) {
      const { lines } = answered(offer.replaceAll("IP6 2001:db8::20", nowhere), local)
      assert.strictEqual(directionOf(lines), "recvonly", nowhere)
    }
  })
  it("never leads to a multicast address or to an interface of this machine", () => {
    for (const address of ["ff02::1", "fe80::1%eth0"]) {
      const answer = answerOffer(offer.replaceAll("2001:db8::20", address), local)
      assert.isTrue(Result.isFailure(answer), address)
    }
  })
})

describe("an answer", () => {
  it("is written as every gateway reads it", () => {
    const { lines } = answered(sdp("m=audio 4000 RTP/AVP 8 0 101", "a=rtpmap:101 telephone-event/8000"))
    assert.deepStrictEqual(lines, [
      ...["v=0", "o=parley 42 1 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0"],
      ...["m=audio 20000 RTP/AVP 8 101", "a=rtpmap:8 PCMA/8000"],
      ...["a=rtpmap:101 telephone-event/8000", "a=fmtp:101 0-15", "a=ptime:20", "a=sendrecv", ""],
    ])
  })
  it.each<[string, string, Partial<Record<keyof AgreedSound, unknown>>]>([
    ["µ-law without a map", "m=audio 4000 RTP/AVP 0", { payloadType: 0, keys: null, comfortNoise: null }],
    ["the first that the peer likes", "m=audio 4000 RTP/AVP 9 8 0\na=rtpmap:9 G722/8000", { payloadType: 8 }],
    ["a law under a type of its own", "m=audio 4000 RTP/AVP 96\na=rtpmap:96 pcmu/8000/1", { payloadType: 96 }],
    ["no law whose type has another map", "m=audio 4000 RTP/AVP 0 8\na=rtpmap:0 L16/8000", { payloadType: 8 }],
    ["the peer's type of keys", "m=audio 4000 RTP/AVP 0 96\na=rtpmap:96 telephone-event/8000", { keys: 96 }],
    ["no keys at another rate", "m=audio 4000 RTP/AVP 0 96\na=rtpmap:96 telephone-event/16000", { keys: null }],
    ["comfort noise", "m=audio 4000 RTP/AVP 0 13", { comfortNoise: 13 }],
    [
      "the section's address",
      "m=audio 4000 RTP/AVP 0\nc=IN IP4 203.0.113.9",
      { remote: { host: "203.0.113.9", port: 4_000, rtcpPort: 4_001 } },
    ],
    [
      "a port of reports",
      "m=audio 4000 RTP/AVP 0\na=rtcp:5001 IN IP4 198.51.100.7",
      { remote: { host: "198.51.100.7", port: 4_000, rtcpPort: 5_001 } },
    ],
    [
      "an address with a time to live",
      "m=audio 4000/2 RTP/AVP 0\nc=IN IP4 203.0.113.9/127",
      { remote: { host: "203.0.113.9", port: 4_000, rtcpPort: 4_001 } },
    ],
    ["a profile with feedback", "m=audio 4000 RTP/AVPF 0", { srtp: null }],
    [
      "keys in a line that asks for no encryption as none",
      `m=audio 4000 RTP/AVP 0\na=crypto:1 AES_CM_128_HMAC_SHA1_80 ${key}`,
      { srtp: null },
    ],
  ])("takes %s", (_, media, expected) => {
    assert.deepInclude(answered(sdp(...media.split("\n"))).agreed, expected)
  })
  it.each([
    ["sendrecv", "sendrecv", "sendrecv", true, true],
    ["sendonly", "sendrecv", "recvonly", false, true],
    ["recvonly", "sendrecv", "sendonly", true, false],
    ["inactive", "sendrecv", "inactive", false, false],
    ["sendrecv", "sendonly", "sendonly", true, false],
    ["sendonly", "sendonly", "inactive", false, false],
    ["sendrecv", "inactive", "inactive", false, false],
    ["recvonly", "recvonly", "inactive", false, false],
  ] as const)("to %s, where we want %s, is %s", (offered, direction, expected, sends, receives) => {
    const media = sdp("m=audio 4000 RTP/AVP 0", `a=${offered}`)
    const { agreed, lines } = answered(media, localWith({ direction }))
    assert.deepStrictEqual([directionOf(lines), agreed.sends, agreed.receives], [expected, sends, receives])
  })
  it("uses the direction of the session if the section has none", () => {
    const { agreed } = answered(sdp("a=sendonly", "m=audio 4000 RTP/AVP 0"))
    assert.isFalse(agreed.sends)
  })
  it.each(["0.0.0.0", "::"])("takes the address %s for hold, as older peers write it", (address) => {
    const family = address === "::" ? "IP6" : "IP4"
    const { agreed, lines } = answered(sdp("m=audio 4000 RTP/AVP 0", `c=IN ${family} ${address}`, "a=sendrecv"))
    assert.deepStrictEqual([directionOf(lines), agreed.sends, agreed.receives], ["recvonly", false, true])
  })
  it("refuses every other section in its place with port 0", () => {
    const offer = sdp(
      ...["m=video 5000 RTP/AVP 96 97", "a=rtpmap:96 VP8/90000", "m=audio 0 RTP/AVP 0", "m=audio 4000 RTP/AVP 0"],
      ...["m=audio 4002 RTP/AVP 8", "m=application 9 UDP/BFCP *", "m=image 6000 udptl t38"],
    )
    const { agreed, lines } = answered(offer)
    assert.deepStrictEqual(mediaOf(lines), [
      ...["m=video 0 RTP/AVP 96 97", "m=audio 0 RTP/AVP 0", "m=audio 20000 RTP/AVP 0"],
      ...["m=audio 0 RTP/AVP 8", "m=application 0 UDP/BFCP *", "m=image 0 udptl t38"],
    ])
    assert.strictEqual(agreed.remote.port, 4_000)
  })
  it("chooses the first key that it can use, and gives its own, the same for the whole call", () => {
    const offer = sdp(
      "m=audio 4000 RTP/SAVP 0",
      `a=crypto:1 AES_256_CM_HMAC_SHA1_80 ${key}`,
      `a=crypto:2 AES_CM_128_HMAC_SHA1_80 ${key}|2^20|1:4`,
      `a=crypto:3 AES_CM_128_HMAC_SHA1_80 ${key} UNENCRYPTED_SRTP`,
      `a=crypto:4 AES_CM_128_HMAC_SHA1_32 ${key}|2^20 WSH=64`,
      `a=crypto:5 AES_CM_128_HMAC_SHA1_80 ${key}`,
    )
    const local = localWith()
    const { agreed, lines } = answered(offer, local)
    const crypto = lines.filter((line) => line.startsWith("a=crypto:"))
    assert.strictEqual(crypto.length, 1)
    assert.match(crypto[0] ?? "", /^a=crypto:4 AES_CM_128_HMAC_SHA1_32 inline:[\w+/]{40}$/)
    assert.strictEqual(Buffer.from(agreed.srtp?.receiving.secret ?? "").toString("base64"), key.slice(7))
    assert.deepStrictEqual(answered(offer, local).agreed, agreed)
  })
  it.each([
    ["malformed", "", {}],
    ["malformed", "hello", {}],
    ["malformed", sdp("m=audio"), {}],
    ["malformed", sdp("m=audio 99999 RTP/AVP 0"), {}],
    ["malformed", sdp(...Array.from({ length: 17 }, () => "m=audio 4000 RTP/AVP 0")), {}],
    ["malformed", sdp(`a=${"x".repeat(20_000)}`, "m=audio 4000 RTP/AVP 0"), {}],
    ["no_audio", sdp(), {}],
    ["no_audio", sdp("m=audio 0 RTP/AVP 0"), {}],
    ["no_audio", sdp("m=video 4000 RTP/AVP 96"), {}],
    ["no_audio", sdp("m=audio 4000 UDP/TLS/RTP/SAVPF 0"), {}],
    ["no_codec", sdp("m=audio 4000 RTP/AVP 9 18"), {}],
    ["no_codec", sdp("m=audio 4000 RTP/AVP 101", "a=rtpmap:101 telephone-event/8000"), {}],
    ["no_address", "v=0\r\nm=audio 4000 RTP/AVP 0\r\n", {}],
    ["no_address", sdp("m=audio 4000 RTP/AVP 0", "c=IN IP4 sbc.example.net"), {}],
    ["no_address", sdp("m=audio 4000 RTP/AVP 0", "c=IN IP4 239.1.2.3"), {}],
    ["no_address", sdp("m=audio 4000 RTP/AVP 0", "c=IN IP4 255.255.255.255"), {}],
    ["no_address", sdp("m=audio 4000 RTP/AVP 0", "c=IN IP6 ff02::1"), {}],
    ["no_key", sdp("m=audio 4000 RTP/SAVP 0"), {}],
    ["no_key", sdp("m=audio 4000 RTP/SAVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2hvcnQ="), {}],
    ["not_encrypted", sdp("m=audio 4000 RTP/AVP 0"), { encrypted: true }],
  ] as const)("is refused as %s: %#", (reason, offer, changes) => {
    const answer = answerOffer(offer, localWith(changes))
    assert.strictEqual(Result.isFailure(answer) ? answer.failure.reason : "answered", reason)
  })
})

describe("an offer", () => {
  it("has both laws and telephone keys, and keys of each suite if it asks for encryption", () => {
    const lines = writeOffer(localWith({ encrypted: true })).split("\r\n")
    assert.deepStrictEqual(mediaOf(lines), ["m=audio 20000 RTP/SAVP 0 8 101"])
    assert.strictEqual(lines.filter((line) => line.startsWith("a=crypto:")).length, 2)
    assert.notInclude(writeOffer(localWith()), "crypto")
  })
  it("over IPv6 names the IP version", () => {
    assert.include(writeOffer(localWith({ host: "2001:db8::1" })), "c=IN IP6 2001:db8::1")
  })
  it.each([false, true])("and its answer agree on both sides, encrypted: %s", (encrypted) => {
    const [us, peer] = [localWith({ encrypted }), localWith({ host: "198.51.100.7", port: 4_000 })]
    const answer = Result.getOrThrow(answerOffer(writeOffer(us), peer))
    const ours = Result.getOrThrow(readAnswer(answer.text, us))
    const theirs = answer.agreed
    assert.deepStrictEqual(ours.remote, { host: "198.51.100.7", port: 4_000, rtcpPort: 4_001 })
    assert.deepStrictEqual([ours.codec, ours.keys, ours.sends, ours.receives], [theirs.codec, 101, true, true])
    assert.strictEqual(ours.srtp === null, !encrypted)
    assert.deepStrictEqual(ours.srtp?.sending, theirs.srtp?.receiving)
    assert.deepStrictEqual(ours.srtp?.receiving, theirs.srtp?.sending)
  })
  it.each([
    ["malformed", "SIP/2.0", {}],
    ["no_audio", sdp("m=audio 0 RTP/AVP 0"), {}],
    ["no_codec", sdp("m=audio 4000 RTP/AVP 18"), {}],
    ["unencrypted_answer", sdp("m=audio 4000 RTP/AVP 0"), { encrypted: true }],
    ["no_key", sdp("m=audio 4000 RTP/SAVP 0"), { encrypted: true }],
    ["no_key", sdp("m=audio 4000 RTP/SAVP 0", `a=crypto:9 AES_CM_128_HMAC_SHA1_80 ${key}`), { encrypted: true }],
  ] as const)("is refused as %s by a wrong answer: %#", (reason, answer, changes) => {
    const read = readAnswer(answer, localWith(changes))
    assert.strictEqual(Result.isFailure(read) ? read.failure.reason : "agreed", reason)
  })
})

describe("a description", () => {
  it("survives 100,000 mutants: each is answered section by section, or refused with a reason", () => {
    const valid = [
      writeOffer(localWith({ encrypted: true })),
      sdp("m=video 5000 RTP/AVP 96", "m=audio 4000 RTP/AVP 0 101", "a=rtpmap:101 telephone-event/8000", "a=sendonly"),
    ]
    const local = localWith()
    for (const mutant of mutantsOf(
      valid.map((text) => Buffer.from(text)),
      100_000,
    )) {
      const text = mutant.toString("latin1")
      const answer = answerOffer(text, local)
      if (Result.isFailure(answer)) continue
      const sections = (one: string) => one.split(/\r\n|\r|\n/).filter((line) => line.startsWith("m=")).length
      if (sections(answer.success.text) !== sections(text)) assert.fail(text)
    }
  })
  it("of many meaningless lines is read at once", () => {
    const long = sdp("m=audio 4000 RTP/AVP 0", ...Array.from({ length: 4_000 }, () => "a="))
    const began = process.threadCpuUsage()
    answerOffer(long, localWith())
    const { user } = process.threadCpuUsage(began)
    assert.isAtMost(user / 1_000, 50)
  })
})
