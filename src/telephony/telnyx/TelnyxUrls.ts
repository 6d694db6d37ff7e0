/** The URLs that Telnyx gets for one call, and the `client_state` that each webhook returns. */

export interface TelnyxUrls {
  /** Where Telnyx sends the call's webhooks. */
  readonly events: string
  /** The last part of the path is the route's in CarrierStreamsHttp. */
  readonly stream: string
}

export const urlsOf = (public_url: string, stream_url: string, account: string, call: string): TelnyxUrls => ({
  events: `${public_url}/carriers/telnyx/${account}/${call}/events`,
  stream: `${stream_url}/carriers/telnyx/${account}/${call}/stream`,
})

/** A `client_state`: the call that it belongs to, and the mark of the transfer for the leg of a transfer. */
export const stateOf = (call: string, mark?: string): string =>
  Buffer.from(mark === undefined ? call : `${call} ${mark}`).toString("base64")

/** The mark in a `client_state`; null for the state of the call itself, and for any other text. */
export const markIn = (client_state: string): string | null =>
  /^[^ ]+ (t\d{1,4})$/.exec(Buffer.from(client_state, "base64").toString())?.[1] ?? null
