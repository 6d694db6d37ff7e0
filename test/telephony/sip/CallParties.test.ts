/** The calling and the called number, in the forms in which trunks write them. */
import { assert, describe, it } from "@effect/vitest"
import { calledNumbersOf, callerOf } from "../../../src/telephony/sip/CallParties.ts"
import type { Request } from "../../../src/telephony/sip/Message.ts"
import { parseMessage } from "../../../src/telephony/sip/MessageParser.ts"

const invite = (uri: string, to: string, from: string, more: ReadonlyArray<string> = []): Request => {
  const lines = [
    `INVITE ${uri} SIP/2.0`,
    "Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKa",
    ...[`From: ${from};tag=1`, `To: ${to}`, "Call-ID: a", "CSeq: 1 INVITE", "Max-Forwards: 70", ...more],
  ]
  const message = parseMessage(Buffer.from(`${lines.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`), { isStream: false })
  if (message.kind !== "request") throw new Error(`It cannot be read: ${JSON.stringify(message)}`)
  return message
}
const someone = "<sip:+14155550199@trunk.example>"

describe("the called number", () => {
  it.each([
    ["sip:+14155550100@parley", ["+14155550100"]],
    ["sip:14155550100@parley", ["+14155550100"]],
    ["sip:0014155550100@parley", ["+14155550100"]],
    ["sip:+1-415-555-0100;npdi@parley;user=phone", ["+14155550100"]],
    ["sip:%2B14155550100@parley", ["+14155550100"]],
    ["sip:parley@parley", []],
    [`sip:${"1".repeat(60)}@parley`, []],
    ["sip:+14155550100'--@parley", []],
  ])("of %s", (uri, numbers) => {
    const found = calledNumbersOf(invite(uri, "<sip:trunk@parley>", someone)).map(({ number }) => String(number))
    assert.deepStrictEqual(found, numbers)
  })
  it("is that of To if the URI names only the trunk's user", () => {
    const found = calledNumbersOf(invite("sip:user7@parley", "<sip:+14155550100@trunk.example>", someone))
    assert.deepStrictEqual(
      found.map(({ number }) => String(number)),
      ["+14155550100"],
    )
  })
})

describe("the caller", () => {
  const callerIn = (from: string, isBare = false, more: ReadonlyArray<string> = []) =>
    callerOf(invite("sip:+14155550100@parley", "<sip:+14155550100@parley>", from, more), isBare)
  it("is taken from the network's assertion before the caller's own", () => {
    const asserted = ["P-Asserted-Identity: <tel:+14155550177>"]
    assert.strictEqual(callerIn(someone, false, asserted), "+14155550177")
    assert.strictEqual(callerIn(someone), "+14155550199")
  })
  it("is unknown if the number is hidden, or is not a number", () => {
    assert.isNull(callerIn(someone, false, ["Privacy: id"]))
    assert.isNull(callerIn('"Anonymous" <sip:anonymous@anonymous.invalid>'))
    assert.isNull(callerIn("<sip:1001@pbx.example>"))
  })
  it("is read from bare digits only if the trunk writes E.164 that way: they may be a national number", () => {
    assert.isNull(callerIn("<sip:4155550199@trunk.example>"))
    assert.strictEqual(callerIn("<sip:14155550199@trunk.example>", true), "+14155550199")
  })
})
