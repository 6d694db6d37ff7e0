/** The URLs that Twilio gets for one call. They name the account and the call, and Twilio signs them. */

export interface TwilioUrls {
  readonly status: string
  /** `mark` names a position in the talk. Twilio returns it with the words that it heard there. */
  readonly talk: (mark: string) => string
}

/** The mark of Twilio's reports whether a machine answered, and when its greeting ended. */
export const machineMark = "machine"

/** The mark of a call whose media stream could not be opened, or ended although the call goes on. */
export const unstreamedMark = (step: number): string => (step === 0 ? "w" : `w${step}`)

/**
 * The first letter of the marks of transfers from a media stream. After a transfer the call waits for the next
 * instruction.
 */
export const waitingKind = "t"

/** Returns the URL of a talk with another locale, in which Twilio listens from then on. */
export const inLocale = (talk: string, locale: string): string => talk.replace(/\?language=.*$/u, `?language=${locale}`)

/** The last part of the path is the route's in CarrierStreamsHttp. */
export const streamUrlOf = (stream_url: string, account: string, call: string): string =>
  `${stream_url}/carriers/twilio/${account}/${call}/stream`

export const urlsOf = (public_url: string, account: string, call: string, locale: string): TwilioUrls => {
  const base = `${public_url}/carriers/twilio/${account}/${call}`
  return { status: `${base}/status`, talk: (mark) => `${base}/talk/${mark}?language=${locale}` }
}
