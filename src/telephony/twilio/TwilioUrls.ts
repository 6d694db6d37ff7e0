/** The addresses that Twilio is given for one call: they name the account and the call, and are what it signs. */

export interface TwilioUrls {
  readonly status: string
  /** `mark` names a place in the talk, and comes back with what was heard there. */
  readonly talk: (mark: string) => string
}

/** The place to which Twilio tells whether a machine took the call, and when its greeting is over. */
export const machineMark = "machine"

export const urlsOf = (public_url: string, account: string, call: string, locale: string): TwilioUrls => {
  const of = `${public_url}/carriers/twilio/${account}/${call}`
  return { status: `${of}/status`, talk: (mark) => `${of}/talk/${mark}?language=${locale}` }
}
