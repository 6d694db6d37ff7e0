/** A conversation by voice in a page, from the page's side of the socket. */
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { said, settle, staged, withFakeTime } from "./ConnectionStage.ts"

describe("a conversation by voice in a page", () => {
  withFakeTime()

  it("takes the place of one in writing, and sends frames while the conversation is open", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.write("Hello?")
    await settle()
    last().accept()
    last().say({ type: "line", line: 1, by: "visitor", text: "Hello?", id: last().sent[1].id })
    connection.speak(new Uint8Array(644))
    assert.strictEqual(last().sent.length, 2)
    connection.start("voice")
    assert.deepInclude(sockets[0]?.sent.at(-1), { type: "end" })
    await settle()
    connection.speak(new Uint8Array(644))
    last().accept()
    assert.deepStrictEqual(last().sent, [{ type: "hello", token: "t1", mode: "voice" }])
    connection.speak(new Uint8Array(644))
    assert.strictEqual(last().frames, 1)
    last().bufferedAmount = 100_000
    connection.speak(new Uint8Array(644))
    assert.strictEqual(last().frames, 1)
    assert.deepStrictEqual(said(talk()), ["1 visitor: Hello?"])
  })
  it("is called back three times, and then goes on in writing", async () => {
    const { connection, last, sockets, talk } = staged()
    connection.start("voice")
    await settle()
    last().accept()
    last().drop()
    for (let times = 0; times < 3; times++) {
      assert.strictEqual(talk().phase, "lost")
      await vi.advanceTimersByTimeAsync(5_000)
      last().drop()
    }
    assert.strictEqual(sockets.length, 4)
    assert.deepInclude(talk(), { phase: "ended", end: "interrupted" })
    connection.write("Hello?")
    await settle()
    last().accept()
    assert.deepStrictEqual(last().sent[0], { type: "hello", token: "t1" })
    assert.strictEqual(talk().mode, "chat")
  })
  it("gives the sound and what is to be done with it to its player", async () => {
    const { connection, last, played } = staged()
    connection.start("voice")
    await settle()
    last().accept()
    last().dispatchEvent(Object.assign(new Event("message"), { data: new ArrayBuffer(964) }))
    last().say({ type: "sound", do: "clear", frame: 7 })
    assert.deepStrictEqual(played, [964, "clear 7"])
  })
})
