/** A conversation in writing in a page, from the page's side of the socket. */
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { longestText } from "../../apps/widget/Limits.ts"
import { Refused } from "../../apps/widget/Refused.ts"
import * as WidgetMessage from "../../src/domain/WidgetMessage.ts"
import { said, settle, staged, withFakeTime } from "./ConnectionStage.ts"

describe("a conversation in a page", () => {
  withFakeTime()

  it("begins with the first word, which is sent when the conversation is open", async () => {
    const { connection, last, talk } = staged()
    connection.write("Hello?")
    assert.deepStrictEqual(said(talk()), ["0 visitor: Hello?"])
    await settle()
    last().accept()
    const [hello, text] = last().sent
    assert.deepStrictEqual(hello, { type: "hello", token: "t1" })
    assert.deepInclude(text, { type: "text", text: "Hello?" })
    last().say({ type: "line", line: 1, by: "agent", text: "Good day." })
    last().say({ type: "line", line: 2, by: "visitor", text: "Hello?", id: text.id })
    assert.deepStrictEqual(said(talk()), ["1 agent: Good day.", "2 visitor: Hello?"])
  })
  it("goes on after a broken socket: the same secret, the lines that are missing, what was not heard once more", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start()
    await settle()
    last().accept("s1")
    last().say({ type: "line", line: 1, by: "agent", text: "Good day." })
    last().drop()
    assert.strictEqual(talk().phase, "lost")
    connection.write("Are you there?")
    await vi.advanceTimersByTimeAsync(600)
    assert.strictEqual(sockets.length, 2)
    last().accept("s1", true)
    assert.deepStrictEqual(last().sent[0], { type: "hello", token: "t1", resume: "s1", after: 1 })
    assert.deepInclude(last().sent[1], { type: "text", text: "Are you there?" })
    last().say({ type: "line", line: 1, by: "agent", text: "Good day." })
    assert.deepStrictEqual(said(talk()), ["1 agent: Good day.", "0 visitor: Are you there?"])
  })
  it("connects again at once when its process gives the conversation up, and only once without a pause", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start()
    await settle()
    last().accept("s1")
    last().drop(1012)
    await settle()
    assert.strictEqual(sockets.length, 2)
    last().drop(1012)
    await settle()
    assert.strictEqual(sockets.length, 2)
    await vi.advanceTimersByTimeAsync(1_100)
    assert.strictEqual(sockets.length, 3)
    last().accept("s1", true)
    assert.strictEqual(talk().phase, "open")
    // The next process may be restarted as well.
    last().drop(1012)
    await settle()
    assert.strictEqual(sockets.length, 4)
  })
  it("tells a visitor who is held back, and asks for no session again until they want it", async () => {
    const refusal = { code: "rate_limited", detail: "Try again at …", retryAfter: 7 }
    let asked = 0
    const { connection, talk } = staged(async () => {
      asked++
      throw new Refused(refusal)
    })
    connection.write("Hello?")
    await settle()
    assert.deepStrictEqual([talk().phase, talk().refusal], ["refused", refusal])
    assert.deepStrictEqual(said(talk()), ["0 visitor: Hello?"])
    await vi.advanceTimersByTimeAsync(120_000)
    assert.strictEqual(asked, 1)
    connection.start()
    assert.strictEqual(asked, 2)
  })
  it("never opens a socket with a token in its last minute", async () => {
    const { connection, last } = staged()
    connection.start()
    await settle()
    last().accept()
    last().drop()
    await vi.advanceTimersByTimeAsync(600)
    last().accept("secret", true)
    assert.strictEqual(last().sent[0].token, "t1")
    for (let minute = 0; minute < 4; minute++) {
      await vi.advanceTimersByTimeAsync(30_000)
      last().say({ type: "pong" })
      await vi.advanceTimersByTimeAsync(30_000)
      last().say({ type: "pong" })
    }
    last().drop()
    await vi.advanceTimersByTimeAsync(600)
    last().accept("secret", true)
    assert.strictEqual(last().sent[0].token, "t2")
  })
  it("takes a socket that says nothing for broken", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start()
    await settle()
    last().accept()
    await vi.advanceTimersByTimeAsync(20_000)
    assert.deepInclude(last().sent, { type: "ping" })
    await vi.advanceTimersByTimeAsync(20_000)
    assert.strictEqual(talk().phase, "lost")
    await vi.advanceTimersByTimeAsync(600)
    assert.strictEqual(sockets.length, 2)
  })
  it("asks again, ever more slowly, while there is no server; and at once when the page is looked at", async () => {
    let asked = 0
    const { connection, talk } = staged(() => {
      asked++
      return Promise.reject(new TypeError("Failed to fetch"))
    })
    connection.start()
    await vi.advanceTimersByTimeAsync(60_000)
    assert.isAtLeast(asked, 5)
    assert.isAtMost(asked, 14)
    assert.strictEqual(talk().phase, "lost")
    const before = asked
    connection.hurry()
    await settle()
    assert.strictEqual(asked, before + 1)
  })
  it("has one socket at most: a new attempt replaces the one in progress, and nothing of it comes back later", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start()
    await settle()
    last().accept()
    last().drop()
    await vi.advanceTimersByTimeAsync(600)
    connection.hurry()
    await settle()
    assert.deepStrictEqual(
      sockets.map(({ readyState }) => readyState),
      [3, 3, 0],
    )
    last().accept("secret", true)
    connection.end()
    await vi.advanceTimersByTimeAsync(120_000)
    assert.deepStrictEqual([talk().phase, sockets.length], ["ended", 3])
  })
  it("begins one conversation, though the visitor ends it and begins again while it connects", async () => {
    const { connection, sockets, talk } = staged()
    connection.start()
    connection.end()
    connection.start()
    await settle()
    assert.deepStrictEqual([talk().phase, sockets.length], ["connecting", 1])
  })
  it("does not connect once the widget is removed, and goes on when it is put back", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start()
    connection.leave()
    await settle()
    assert.strictEqual(sockets.length, 0)
    connection.rejoin()
    await settle()
    last().accept("s1")
    connection.leave()
    connection.rejoin()
    await settle()
    assert.deepStrictEqual([talk().phase, sockets.length], ["lost", 2])
    connection.write("Are you there?")
    last().accept("s1", true)
    assert.deepInclude(last().sent[0], { resume: "s1" })
    assert.deepInclude(last().sent[1], { type: "text", text: "Are you there?" })
    connection.start("voice")
    await settle()
    last().accept("s2")
    connection.leave()
    connection.rejoin()
    assert.strictEqual(talk().phase, "ended")
    connection.rejoin()
    await settle()
    assert.deepStrictEqual([talk().phase, sockets.length], ["ended", 3])
  })
  it("stops where asking again cannot help, and says why", async () => {
    const refusal = { code: "origin_forbidden", detail: "Not this page.", retryAfter: undefined }
    const { connection, talk } = staged(() => Promise.reject(new Refused(refusal)))
    connection.start()
    await settle()
    assert.deepStrictEqual([talk().phase, talk().refusal], ["refused", refusal])
  })
  it("a cap is said, and the text stays to be sent when the visitor begins again", async () => {
    const { connection, last, talk } = staged()
    connection.write("Hello?")
    await settle()
    last().readyState = 1
    last().dispatchEvent(new Event("open"))
    last().say({ type: "refused", code: "concurrent_cap", detail: "20 of 20", retry_after_seconds: 5 })
    assert.deepInclude(talk(), {
      phase: "refused",
      refusal: { code: "concurrent_cap", detail: "20 of 20", retryAfter: 5 },
    })
    connection.start()
    await settle()
    last().accept()
    assert.deepInclude(last().sent[1], { type: "text", text: "Hello?" })
  })
  it("text of a conversation that the visitor ended is not sent into the next one", async () => {
    const { connection, last, talk } = staged()
    connection.start()
    await settle()
    last().accept("s1")
    connection.write("My card is 4000 1234.")
    last().drop()
    connection.write("Are you there?")
    connection.end()
    assert.deepStrictEqual(said(talk()), ["0 visitor: My card is 4000 1234.", "0 visitor: Are you there?"])
    connection.write("Good day.")
    await settle()
    last().accept("s2")
    const [, ...texts] = last().sent
    assert.deepStrictEqual(
      texts.map(({ text }) => text),
      ["Good day."],
    )
    const [first, second, third] = talk().lines
    assert.deepStrictEqual([first?.unsent, second?.unsent, third?.unsent], [true, true, undefined])
  })
  it("a new conversation counts its lines anew, below what was said before", async () => {
    const { connection, last, talk } = staged()
    connection.start()
    await settle()
    last().accept("s1")
    last().say({ type: "line", line: 1, by: "agent", text: "Good day." })
    last().say({ type: "ended", reason: "agent_hung_up" })
    assert.deepInclude(talk(), { phase: "ended", end: "agent_hung_up" })
    connection.start()
    await settle()
    assert.deepStrictEqual(last().sent, [])
    last().accept("s2")
    assert.deepStrictEqual(last().sent[0], { type: "hello", token: "t1" })
    last().say({ type: "line", line: 1, by: "agent", text: "Hello again." })
    assert.deepStrictEqual(said(talk()), ["1 agent: Good day.", "1 agent: Hello again."])
  })
  it("shows the agent's words as they come, and then the line alone", async () => {
    const { connection, last, talk } = staged()
    connection.start()
    await settle()
    last().accept()
    last().say({ type: "thinking", on: true })
    last().say({ type: "piece", text: "Yes." })
    assert.deepInclude(talk(), { piece: "Yes.", thinking: false })
    last().say({ type: "line", line: 1, by: "agent", text: "Yes. It is." })
    assert.deepInclude(talk(), { piece: "" })
  })
  it("knows how long a message may be", () => {
    assert.strictEqual(longestText, WidgetMessage.longestText)
  })
})
