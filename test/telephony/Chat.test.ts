/** A conversation in writing with its page: what the page sees, and when. */
import { assert, describe, it } from "@effect/vitest"
import type { TranscriptEntry } from "../../src/domain/Call.ts"
import type { FromServer } from "../../src/domain/WidgetMessage.ts"
import { Chat } from "../../src/telephony/browser/Chat.ts"

const entry = (role: TranscriptEntry["role"], text: string): TranscriptEntry => ({
  role,
  text,
  at: new Date(0),
  started_ms: 0,
  ended_ms: 0,
})

const staged = () => {
  const chat = new Chat("secret", () => {}, true)
  const heard: Array<FromServer> = []
  const wrote: Array<string> = []
  const page = (message: FromServer) => void heard.push(message)
  const listen = () => {
    chat.listen({ wrote: (text) => wrote.push(text), left: () => {} })
    chat.open()
  }
  const shown = () => heard.splice(0).map((message) => JSON.stringify(message))
  return { chat, page, listen, wrote, shown }
}

const line = (line: number, by: string, text: string, id?: string) =>
  JSON.stringify({ type: "line", line, by, text, ...(id === undefined ? {} : { id }) })
const piece = (text: string) => JSON.stringify({ type: "piece", text })

describe("a conversation in writing", () => {
  it("shows a line when it is stored, not before", () => {
    const { chat, listen, page, shown } = staged()
    chat.join(page, 0)
    listen()
    chat.write("m1", "Hello?")
    const transcript = [entry("caller", "Hello?")]
    chat.read(transcript)
    assert.deepStrictEqual(shown(), [])
    chat.stored(1)
    assert.deepStrictEqual(shown(), [line(1, "visitor", "Hello?", "m1")])
    chat.say("Good day.")
    chat.read([...transcript, entry("tool", "{}"), entry("agent", "Good day.")])
    assert.deepStrictEqual(shown(), [piece("Good day.")])
    chat.stored(2)
    assert.deepStrictEqual(shown(), [line(2, "agent", "Good day.")])
  })
  it("keeps the beginning of the next line below a line that is stored late", () => {
    const { chat, page, shown } = staged()
    chat.join(page, 0)
    chat.say("One moment, please.")
    chat.read([entry("agent", "One moment, please.")])
    chat.say("It was sent.")
    assert.deepStrictEqual(shown(), [piece("One moment, please."), piece("It was sent.")])
    chat.stored(1)
    assert.deepStrictEqual(shown(), [line(1, "agent", "One moment, please."), piece("It was sent.")])
  })
  it("drops the words of a reply that were not said when it was cut", () => {
    const { chat, page, shown } = staged()
    chat.join(page, 0)
    chat.say("One.")
    chat.say("Two.")
    chat.cut()
    chat.read([entry("agent", "One.")])
    chat.stored(1)
    chat.say("Three.")
    assert.deepStrictEqual(shown().slice(2), [line(1, "agent", "One."), piece("Three.")])
  })
  it("continues after the lines that another process has shown, and takes none of their messages again", () => {
    const { chat, listen, page, shown, wrote } = staged()
    chat.continueFrom([entry("agent", "Good day."), entry("caller", "Hello?"), entry("agent", "Yes?")], ["m1"])
    chat.join(page, 1)
    assert.deepStrictEqual(shown(), [line(2, "visitor", "Hello?", "m1"), line(3, "agent", "Yes?")])
    // Written before the line listens.
    chat.write("m1", "Hello?")
    chat.write("m2", "Where is it?")
    assert.deepStrictEqual(wrote, [])
    listen()
    assert.deepStrictEqual(wrote, ["Where is it?"])
    assert.deepStrictEqual(chat.ids, ["m1"])
  })
  it("shows its last words at its end, stored or not", () => {
    const { chat, page, shown } = staged()
    chat.join(page, 0)
    chat.read([entry("agent", "Goodbye.")])
    chat.end("agent_hung_up")
    assert.deepStrictEqual(shown(), [
      line(1, "agent", "Goodbye."),
      JSON.stringify({ type: "ended", reason: "agent_hung_up" }),
    ])
  })
})
