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
  it("are limited for one address and for all; a request within a call of ours still finds room", () => {
    const taken: Array<string> = []
    const transactions = new Transactions({ send: () => {}, localPort: () => 5_060 }, () => () => {}, {
      reply: () => null,
      request: ({ request }) => void taken.push(`${request.method} ${request.callId}`),
      belongs: ({ to }) => to.params.get("tag") === "ours",
      ack: () => {},
    })
    let id = 0
    for (let host = 1; host <= 6; host++) {
      for (let count = 0; count < 4_100; count++) transactions.receive(requestOf("INVITE", id++), sourceAt(host))
      assert.strictEqual(transactions.size, Math.min(host * 4_000, 20_000))
    }
    for (const host of [1, 7]) {
      transactions.receive(requestOf("BYE", id++, ";tag=guessed"), sourceAt(host))
      transactions.receive(requestOf("BYE", id, ";tag=ours"), sourceAt(host))
      assert.strictEqual(taken.at(-1), `BYE c${id++}`)
    }
    assert.strictEqual(taken.length, 20_002)
    for (let count = 0; count < 4_100; count++) transactions.receive(requestOf("INFO", id++, ";tag=ours"), sourceAt(1))
    assert.strictEqual(transactions.size, 20_002 + 3_999)
    transactions.close()
    assert.strictEqual(transactions.size, 0)
  })

  it("are not made for requests that need none: 10,000 such requests of an address are all answered", () => {
    const sent: Array<string> = []
    const send = (bytes: Buffer) => void sent.push(bytes.toString("latin1"))
    const transactions = new Transactions({ send, localPort: () => 5_060 }, () => () => {}, {
      reply: () => ({ status: 200, fields: [] }),
      request: () => assert.fail("no transaction is needed"),
      belongs: () => false,
      ack: () => {},
    })
    for (let id = 0; id < 10_000; id++) transactions.receive(requestOf("OPTIONS", id), sourceAt(1))
    transactions.receive(requestOf("OPTIONS", 9_999), sourceAt(1))
    transactions.receive(requestOf("CANCEL", 9_999), sourceAt(1))
    assert.strictEqual(transactions.size, 0)
    assert.strictEqual(sent.length, 10_002)
    assert.strictEqual(sent[10_000], sent[9_999])
    assert.match(sent[10_001] ?? "", /^SIP\/2\.0 481 /)
  })
})
