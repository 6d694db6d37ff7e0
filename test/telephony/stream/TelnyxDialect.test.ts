import { assert, describe, it } from "@effect/vitest"
import * as TelnyxDialect from "../../../src/telephony/stream/TelnyxDialect.ts"

const { clear, mark, read, sound } = TelnyxDialect.make("secret")

const start = {
  event: "start",
  sequence_number: "1",
  stream_id: "32de0dea",
  start: {
    user_id: "3e6f995f",
    call_control_id: "v3:T02",
    client_state: "aGF2ZSBhIG5pY2UgZGF5ID1d",
    media_format: { encoding: "PCMU", sample_rate: 8_000, channels: 1 },
  },
}
const media = {
  event: "media",
  sequence_number: "4",
  stream_id: "32de0dea",
  media: { track: "inbound", chunk: "2", timestamp: "40", payload: Buffer.alloc(160, 7).toString("base64") },
}

describe("the messages of a Telnyx media stream", () => {
  it("are read as they are written in Telnyx's documents, with the token of the handshake", () => {
    const messages: ReadonlyArray<readonly [object, object | null]> = [
      [{ event: "connected", version: "1.0.0" }, { _tag: "Other" }],
      [start, { _tag: "Started", stream: "32de0dea", token: "secret" }],
      [media, { _tag: "Sound", bytes: Buffer.alloc(160, 7), chunk: 2 }],
      [
        { ...media, media: { ...media.media, chunk: "x" } },
        { _tag: "Sound", bytes: Buffer.alloc(160, 7) },
      ],
      // An object of which JavaScript can make no text.
      [
        { ...media, media: { ...media.media, chunk: { toString: null } } },
        { _tag: "Sound", bytes: Buffer.alloc(160, 7) },
      ],
      [
        { event: "dtmf", stream_id: "32de0dea", occurred_at: "2022-01-01T00:00:00Z", dtmf: { digit: "1" } },
        { _tag: "Key", digit: "1" },
      ],
      [
        { event: "mark", stream_id: "32de0dea", mark: { name: "3:40" } },
        { _tag: "Marked", name: "3:40" },
      ],
      [{ event: "stop", stream_id: "32de0dea", stop: { call_control_id: "v3:T02" } }, { _tag: "Stopped" }],
      [{ event: "error", payload: { code: 100_002, title: "unknown_error" } }, { _tag: "Other" }],
      // Another codec than the one that was asked for would be noise.
      [{ ...start, start: { ...start.start, media_format: { encoding: "PCMA", sample_rate: 8_000 } } }, null],
    ]
    for (const [message, expected] of messages) assert.deepEqual(read(JSON.stringify(message)), expected)
  })
  it("are written without the name of the stream", () => {
    assert.deepEqual(JSON.parse(sound("s", "AA==")), { event: "media", media: { payload: "AA==" } })
    assert.deepEqual(JSON.parse(mark("s", "1:2")), { event: "mark", mark: { name: "1:2" } })
    assert.deepEqual(JSON.parse(clear("s")), { event: "clear" })
  })
})
