/** How each carrier encodes the messages of a media stream. */
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import { rate } from "./StreamedParty.ts"

export interface StreamWire {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sid: string
  /** The order's parameters, for tests to read. */
  readonly parameters: Readonly<Record<string, string>>
  readonly connected: object
  /** The fields of every message after `connected`. */
  readonly envelope: (sequence: number) => object
  readonly start: object
  readonly stop: object
  readonly key: (digit: string) => object
  /** True if a message of the server is for this stream. */
  readonly owns: (message: Readonly<Record<string, unknown>>) => boolean
  /** True if sound from the server is played. */
  readonly plays: boolean
  /** True if sound messages may overtake each other. */
  readonly shuffles: boolean
}

interface TwilioStreamOrder {
  readonly url: string
  readonly parameters: Readonly<Record<string, string>>
  readonly account_sid: string
  readonly call_sid: string
  readonly token: string
}

/** A stream as Twilio opens it for `<Connect><Stream>`: signed, with the parameters in the start message. */
export const twilioWire = ({ account_sid, call_sid, parameters, token, url }: TwilioStreamOrder): StreamWire => {
  const sid = `MZ${randomBytes(16).toString("hex")}`
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: rate, channels: 1 }
  return {
    url,
    sid,
    parameters,
    plays: true,
    shuffles: false,
    headers: {
      "x-twilio-signature": createHmac("sha1", token).update(url).digest("base64"),
      "user-agent": "TwilioProxy/1.1",
    },
    connected: { event: "connected", protocol: "Call", version: "1.0.0" },
    envelope: (sequence) => ({ sequenceNumber: String(sequence), streamSid: sid }),
    start: {
      start: {
        accountSid: account_sid,
        streamSid: sid,
        callSid: call_sid,
        tracks: ["inbound"],
        mediaFormat,
        customParameters: parameters,
      },
    },
    stop: { stop: { accountSid: account_sid, callSid: call_sid } },
    key: (digit) => ({ dtmf: { track: "inbound_track", digit } }),
    owns: (message) => message["streamSid"] === sid,
  }
}

interface TelnyxStreamOrder {
  readonly url: string
  readonly call_control_id: string
  readonly client_state: string
  /** The fields of the command that ordered the stream. */
  readonly streaming: Readonly<Record<string, unknown>>
}

/**
 * A stream as Telnyx opens it: the token in a header, sound that may overtake sound, and no playback unless the mode is
 * `rtp`.
 */
export const telnyxWire = ({ call_control_id, client_state, streaming, url }: TelnyxStreamOrder): StreamWire => {
  const sid = randomUUID()
  const token = String(streaming["stream_auth_token"] ?? "")
  const codec = String(streaming["stream_codec"] ?? "default")
  const media_format = { encoding: codec === "PCMU" ? "PCMU" : "PCMA", sample_rate: rate, channels: 1 }
  const user_id = "3e6f995f-85f7-4705-9741-53b116d28237"
  return {
    url,
    sid,
    parameters: { token },
    shuffles: true,
    headers: { "x-telnyx-streaming-auth-token": token },
    connected: { event: "connected", version: "1.0.0", connected: { "x-telnyx-streaming-auth-token": token } },
    envelope: (sequence) => ({ sequence_number: String(sequence), stream_id: sid }),
    start: { start: { user_id, call_control_id, client_state, media_format } },
    stop: { stop: { user_id, call_control_id } },
    key: (digit) => ({ occurred_at: new Date().toISOString(), dtmf: { digit } }),
    owns: () => true,
    plays:
      streaming["stream_bidirectional_mode"] === "rtp" &&
      (streaming["stream_bidirectional_codec"] ?? "PCMU") === "PCMU",
  }
}
