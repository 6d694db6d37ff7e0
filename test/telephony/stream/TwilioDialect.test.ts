import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { twilioDialect } from "../../../src/telephony/stream/TwilioDialect.ts"

const { read } = twilioDialect

const start = {
  event: "start",
  sequenceNumber: "1",
  start: {
    accountSid: "AC1",
    streamSid: "MZ1",
    callSid: "CA1",
    tracks: ["inbound"],
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
    customParameters: { token: "secret" },
  },
  streamSid: "MZ1",
}
const media = {
  event: "media",
  sequenceNumber: "4",
  media: { track: "inbound", chunk: "2", timestamp: "40", payload: Buffer.alloc(160, 7).toString("base64") },
  streamSid: "MZ1",
}

describe("the messages of a Twilio media stream", () => {
  it("are read as they are written in Twilio's documents", () => {
    const messages: ReadonlyArray<readonly [object, object | null]> = [
      [{ event: "connected", protocol: "Call", version: "1.0.0" }, { _tag: "Other" }],
      [start, { _tag: "Started", stream: "MZ1", token: "secret" }],
      [media, { _tag: "Sound", bytes: Buffer.alloc(160, 7) }],
      [
        { event: "dtmf", dtmf: { track: "inbound_track", digit: "#" }, streamSid: "MZ1" },
        { _tag: "Key", digit: "#" },
      ],
      [
        { event: "mark", mark: { name: "3:40" }, streamSid: "MZ1" },
        { _tag: "Marked", name: "3:40" },
      ],
      [{ event: "stop", stop: { accountSid: "AC1", callSid: "CA1" } }, { _tag: "Stopped" }],
      [{ ...media, media: { ...media.media, track: "outbound" } }, { _tag: "Other" }],
      [{ event: "dtmf", dtmf: { digit: "12" } }, null],
      [{ ...start, start: { ...start.start, mediaFormat: { encoding: "audio/x-l16", sampleRate: 16_000 } } }, null],
      [{ ...start, streamSid: "" }, null],
      [{ event: 7 }, null],
      [[], null],
    ]
    for (const [message, expected] of messages) assert.deepEqual(read(JSON.stringify(message)), expected)
  })

  it("never throw, whatever is sent in their place", () => {
    const valid = [start, media].map((message) => JSON.stringify(message))
    const mutant = fc.tuple(fc.constantFrom(...valid), fc.nat(400), fc.string({ unit: "binary", maxLength: 4 }))
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      mutant.map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1)),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const message = read(text)
        assert.isTrue(message === null || typeof message._tag === "string")
      }),
      { numRuns: 20_000 },
    )
  })
})
