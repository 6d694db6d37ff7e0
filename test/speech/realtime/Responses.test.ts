/** A voice model's server that is broken, or hostile: what it sends is bounded, and one that does not stop is given up. */
import { assert, beforeEach, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { type ResponseEvent, Responses } from "../../../src/speech/realtime/Responses.ts"
import { readEvent } from "../../../src/speech/realtime/ServerEvents.ts"
import { longestTick, mostMs } from "../../support/LongestTick.ts"

const ofResponse = { response_id: "r1" }

describe("a response of a voice model", () => {
  let now = 0
  let sent: Array<Schema.JsonObject> = []
  let told: Array<string> = []
  let responses: Responses

  beforeEach(() => {
    now = 0
    sent = []
    told = []
    responses = new Responses({
      rate: 8_000,
      now: () => now,
      listener: { reworded: () => {}, spent: () => {} },
      usageOf: () => ({ model: "", tokens_in: 0, tokens_out: 0, cost: 0 }),
    })
    responses.join((event) => void sent.push(event))
    responses.ask(
      {},
      {
        speaks: (sound) => void told.push(`speaks ${sound}`),
        worded: (_, text) => void told.push(`worded ${text.length}`),
        calls: (call) => void told.push(`calls ${call}`),
        ended: () => void told.push("ended"),
        failed: () => void told.push("failed"),
      },
    )
    responses.take({ type: "response.created", response: { id: "r1" } })
  })

  const cancels = () => sent.filter(({ type }) => type === "response.cancel").length
  const sound = (item_id: string, ms: number): ResponseEvent => ({
    type: "response.output_audio.delta",
    ...ofResponse,
    item_id,
    delta: Buffer.alloc(ms * 8).toString("base64"),
  })
  const words = (delta: string): ResponseEvent => ({
    type: "response.output_audio_transcript.delta",
    ...ofResponse,
    item_id: "i1",
    delta,
  })

  it("whose sound does not end is cancelled once, and keeps the connection no longer than one that is silent", () => {
    for (let at = 0; at < 400; at++) {
      responses.take(sound(`i${at % 3}`, 1_000))
      now += 1_000
    }
    assert.strictEqual(cancels(), 1)
    assert.isFalse(responses.check())
    responses.part("a response stalled")
    assert.strictEqual(told.at(-1), "failed")
  })

  it("that goes on after it was cancelled does not hold up the next one for good", () => {
    responses.take(sound("i1", 20))
    responses.cancel()
    assert.isTrue(responses.check())
    for (; now < 6_000; now += 20) responses.take(sound("i1", 20))
    assert.isFalse(responses.check())
  })

  it("has no more words, items and calls of tools than a reply can have", () => {
    responses.take(sound("i1", 20))
    for (let at = 0; at < 1_000; at++) responses.take(words("x".repeat(1_000)))
    assert.isBelow(told.length, 150)
    assert.strictEqual(cancels(), 1)
    responses.take({ type: "response.done", response: { id: "r1", status: "cancelled" } })
    assert.strictEqual(told.at(-1), "ended")
  })

  it("makes no item for each event of a flood", () => {
    for (let at = 0; at < 10_000; at++) responses.take(sound(`i${at}`, 0))
    assert.isBelow(told.length, 150)
  })

  it("calls no tool for each event of a flood", () => {
    const item = (id: string) => ({ id, type: "function_call", name: "look_up", arguments: "{}" })
    for (let at = 0; at < 10_000; at++) {
      responses.take({ type: "response.output_item.done", ...ofResponse, item: item(`i${at}`) })
    }
    assert.isBelow(told.length, 150)
  })
})

describe("an event of a voice model's server", () => {
  const floodsOf = (length: number) => {
    const keys = Array.from({ length: length / 12 }, (_, at) => `"k${at}":""`).join(",")
    const content = "{},".repeat(length / 3 - 50)
    const nested = `${"[".repeat(length / 2 - 50)}${"]".repeat(length / 2 - 50)}`
    return [
      `{"type":"response.done","response":{"id":"r1","metadata":{${keys}}}}`,
      `{"type":"response.done","response":{"id":"r1"},"x":${nested}}`,
      `{"type":"response.output_item.done","response_id":"r1","item":{"id":"i","type":"m","content":[${content}{}]}}`,
    ]
  }

  it("is read within 50 ms, whatever it is", async () => {
    for (const text of [128 * 1_024, 1_900_000].flatMap(floodsOf)) {
      assert.isBelow(await longestTick(async () => readEvent(text)), mostMs)
    }
  })

  it("says that the settings are accepted, however long they are", () => {
    const session = { instructions: "x".repeat(500_000) }
    assert.deepStrictEqual(readEvent(JSON.stringify({ event_id: "e", type: "session.updated", session })), {
      type: "session.updated",
    })
  })
})
