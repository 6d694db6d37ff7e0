/** The addresses that Twilio gets for one call: they name the account and the call, and Twilio signs them. */

export interface TwilioUrls {
  readonly status: string
  /** `mark` names a position in the talk, and comes back with the words that were heard there. */
  readonly talk: (mark: string) => string
}

/** The mark under which Twilio reports whether a machine answered, and when its greeting is over. */
export const machineMark = "machine"

export const urlsOf = (public_url: string, account: string, call: string, locale: string): TwilioUrls => {
  const of = `${public_url}/carriers/twilio/${account}/${call}`
  return { status: `${of}/status`, talk: (mark) => `${of}/talk/${mark}?language=${locale}` }
}
