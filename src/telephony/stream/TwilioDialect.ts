/** The messages of Twilio's media streams. https://www.twilio.com/docs/voice/media-streams/websocket-messages */
import * as JsonDialect from "./JsonDialect.ts"
import { fieldOf, textOf } from "./JsonDialect.ts"

/** The name of the `<Parameter>` that carries the call's secret. */
export const tokenParameter = "token"

export const twilioDialect = JsonDialect.make({
  streamField: "streamSid",
  isTelephone: (start) => {
    const format = fieldOf(start, "mediaFormat")
    return textOf(format, "encoding") === "audio/x-mulaw" && fieldOf(format, "sampleRate") === 8_000
  },
  tokenOf: (start) => textOf(fieldOf(start, "customParameters"), tokenParameter),
  address: (streamSid) => ({ streamSid }),
})
