import { assert, describe, it } from "@effect/vitest"
import { mostBytes } from "../../../src/telephony/sip/MessageParser.ts"
import { StreamFrames } from "../../../src/telephony/sip/StreamFrames.ts"

const message = (body: string, length = `Content-Length: ${body.length}`) =>
  `OPTIONS sip:a@b SIP/2.0\r\n${length}\r\n\r\n${body}`

const take = (frames: StreamFrames, text: string) => {
  const taken = frames.take(Buffer.from(text, "latin1"))
  return taken === "broken" ? taken : taken.messages.map((bytes) => bytes.toString("latin1"))
}

describe("a stream", () => {
  it("is cut into its messages, wherever its chunks end", () => {
    const stream = `\r\n${message("one")}${message("")}\r\n\r\n${message("three", "l : 5")}`
    const messages = [message("one"), message(""), message("three", "l : 5")]
    for (let size = 1; size <= stream.length; size++) {
      const frames = new StreamFrames()
      const found = []
      for (let at = 0; at < stream.length; at += size) found.push(...take(frames, stream.slice(at, at + size)))
      assert.deepStrictEqual(found, messages)
      assert.isFalse(frames.isPartial)
    }
  })
  it("counts the empty lines, which are keep-alives", () => {
    const taken = new StreamFrames().take(Buffer.from("\r\n\r\n"))
    assert.deepStrictEqual(taken, { messages: [], emptyLines: 2 })
  })
  it.each([
    ["whose message does not state its length", "OPTIONS sip:a@b SIP/2.0\r\nTo: x\r\n\r\n"],
    ["whose message is too long", message("", `Content-Length: ${mostBytes}`)],
    ["whose head does not end", "x".repeat(mostBytes + 1)],
  ])("%s is broken", (_, text) => assert.strictEqual(take(new StreamFrames(), text), "broken"))
})
