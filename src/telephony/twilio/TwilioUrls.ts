/** The addresses that Twilio gets for one call: they name the account and the call, and Twilio signs them. */

export interface TwilioUrls {
  readonly status: string
  /** `mark` names a position in the talk, and comes back with the words that were heard there. */
  readonly talk: (mark: string) => string
}

/** The mark under which Twilio reports whether a machine answered, and when its greeting is over. */
export const machineMark = "machine"

/** The mark of a call whose media stream could not be opened, or ended although the call goes on. */
export const unstreamedMark = "w"

/** The first letter of the marks of transfers from a media stream: the call waits until it is told how to go on. */
export const waitingKind = "t"

/** The URL of a talk, from which on Twilio listens in this locale. */
export const inLocale = (talk: string, locale: string): string => talk.replace(/\?language=.*$/u, `?language=${locale}`)

/** The last part of the path is the route's in CarrierStreamsHttp. */
export const streamUrlOf = (stream_url: string, account: string, call: string): string =>
  `${stream_url}/carriers/twilio/${account}/${call}/stream`

export const urlsOf = (public_url: string, account: string, call: string, locale: string): TwilioUrls => {
  const base = `${public_url}/carriers/twilio/${account}/${call}`
  return { status: `${base}/status`, talk: (mark) => `${base}/talk/${mark}?language=${locale}` }
}
