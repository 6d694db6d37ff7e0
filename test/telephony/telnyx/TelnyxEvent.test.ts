import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync, sign } from "node:crypto"
import { outcomeOf } from "../../../src/domain/CarrierReport.ts"
import { fieldIn, newsIn, readEvent, transferIn } from "../../../src/telephony/telnyx/TelnyxEvent.ts"
import { isSigned } from "../../../src/telephony/telnyx/TelnyxSignature.ts"
import { stateOf } from "../../../src/telephony/telnyx/TelnyxUrls.ts"

const call = crypto.randomUUID()

const event = (event_type: string, payload: object) =>
  readEvent(
    JSON.stringify({
      data: {
        record_type: "event",
        event_type,
        occurred_at: "2018-02-02T22:25:27.521992Z",
        payload: { call_control_id: "v3:MdI91X4lWFEs7Igb", client_state: stateOf(call), ...payload },
      },
    }),
  )!

const outcomeAfter = (hangup_cause: string, sip_hangup_cause: string) =>
  outcomeOf(newsIn(event("call.hangup", { hangup_cause, sip_hangup_cause }), 0)!.report)

describe("a webhook of Telnyx's", () => {
  it("keeps no text that the database cannot store: such a webhook is refused and causes no error", () => {
    const forged = event("call.initiated", { connection_id: "1\0", to: "+1\0" })
    assert.deepStrictEqual([fieldIn(forged, "connection_id"), fieldIn(forged, "to")], ["1", "+1"])
  })
  it("says how the call ended by its cause, and by the SIP status if there is one", () => {
    const outcomes = [
      ["normal_clearing", "200", "answered"],
      ["time_limit", "200", "answered"],
      ["normal_clearing", "unspecified", "unknown"],
      ["normal_clearing", "480", "no_answer"],
      ["user_busy", "486", "busy"],
      ["user_busy", "unspecified", "busy"],
      ["timeout", "unspecified", "no_answer"],
      ["no_answer", "480", "no_answer"],
      ["originator_cancel", "487", "no_answer"],
      ["call_rejected", "603", "rejected"],
      ["call_rejected", "unspecified", "rejected"],
      // The network's limit, not a person.
      ["call_rejected", "403", "carrier_error"],
      ["not_found", "404", "invalid_number"],
      ["unspecified", "503", "carrier_error"],
      ["unspecified", "603", "rejected"],
      ["a word of another time", "unspecified", "carrier_error"],
    ] as const
    for (const [cause, sip, outcome] of outcomes) assert.strictEqual(outcomeAfter(cause, sip), outcome, cause + sip)
  })

  it("reports an answer with its time, and a machine as words beside the talk", () => {
    const answered = newsIn(event("call.answered", {}), 0)!
    assert.strictEqual(answered.report.answered_at?.toISOString(), "2018-02-02T22:25:27.521Z")
    const beep = newsIn(event("call.machine.greeting.ended", { result: "beep_detected" }), 5)!
    assert.deepStrictEqual(beep.words, { mark: "greeting", text: "beep_detected", at: 5 })
    assert.strictEqual(newsIn(event("call.dtmf.received", { digit: "1" }), 0), null)
  })

  it("belongs to a transfer by its state, and then says nothing about the caller's leg", () => {
    const leg = { call_control_id: "v3:other", client_state: stateOf(call, "t1") }
    const hangUp = newsIn(event("call.hangup", { ...leg, hangup_cause: "timeout" }), 0)!
    assert.deepStrictEqual([hangUp.sid, hangUp.report.status], [null, "queued"])
    assert.strictEqual(transferIn([hangUp.words!], "t1"), "failed")
    const bridged = newsIn(event("call.bridged", leg), 0)!
    assert.strictEqual(transferIn([bridged.words!, hangUp.words!], "t1"), "bridged")
    assert.strictEqual(transferIn([bridged.words!], "t2"), undefined)
  })

  it("has a recent signature over its time and its body, made with the account's key", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
    const now = 1_700_000_000
    const signed = (body: string, at = now) => ({
      account: "a",
      body,
      timestamp: String(at),
      signature: sign(null, Buffer.from(`${at}|${body}`), privateKey).toString("base64"),
    })
    assert.isTrue(isSigned(key, signed("{}"), now * 1_000))
    assert.isTrue(isSigned(key, signed("{}", now - 299), now * 1_000))
    assert.isFalse(isSigned(key, signed("{}", now - 301), now * 1_000))
    assert.isFalse(isSigned(key, signed("{}", now + 301), now * 1_000))
    assert.isFalse(isSigned(key, { ...signed("{}"), body: "{ }" }, now * 1_000))
    assert.isFalse(isSigned(key, { ...signed("{}"), timestamp: String(now + 1) }, now * 1_000))
    assert.isFalse(isSigned(key, { ...signed("{}"), signature: "" }, now * 1_000))
    assert.isFalse(isSigned(Buffer.alloc(32, 1).toString("base64"), signed("{}"), now * 1_000))
    assert.isFalse(isSigned("no key", signed("{}"), now * 1_000))
  })
})
