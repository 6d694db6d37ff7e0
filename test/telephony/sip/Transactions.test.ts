import { assert, describe, it } from "@effect/vitest"
import type { Source } from "../../../src/telephony/sip/Hop.ts"
import { parseMessage } from "../../../src/telephony/sip/MessageParser.ts"
import { Transactions } from "../../../src/telephony/sip/Transactions.ts"

const requestOf = (method: string, id: number, tag = "") => {
  const text = `${method} sip:parley@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK${id}\r\nFrom: <sip:a@b>;tag=far\r\nTo: <sip:parley@127.0.0.1>${tag}\r\nCall-ID: c${id}\r\nCSeq: 1 ${method}\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`
  return parseMessage(Buffer.from(text), { isStream: false })
}
const sourceAt = (host: number): Source => ({ transport: "udp", address: `192.0.2.${host}`, port: 5060, reply: null })

describe("server transactions", () => {
  it("of one address, and of all, are bounded; a request within a call of ours is taken all the same", () => {
    const taken: Array<string> = []
    const transactions = new Transactions({ send: () => {}, localPort: () => 5_060 }, () => () => {}, {
      request: ({ request }) => void taken.push(`${request.method} ${request.callId}`),
      belongs: ({ to }) => to.params.get("tag") === "ours",
      ack: () => {},
    })
    let id = 0
    for (let host = 1; host <= 6; host++) {
      for (let count = 0; count < 4_100; count++) transactions.receive(requestOf("OPTIONS", id++), sourceAt(host))
      assert.strictEqual(transactions.size, Math.min(host * 4_000, 20_000))
    }
    transactions.receive(requestOf("BYE", id, ";tag=guessed"), sourceAt(7))
    transactions.receive(requestOf("BYE", id + 1, ";tag=ours"), sourceAt(7))
    assert.strictEqual(taken.at(-1), `BYE c${id + 1}`)
    assert.strictEqual(taken.length, 20_001)
    transactions.close()
    assert.strictEqual(transactions.size, 0)
  })
})
