/** The grounds and channels of consents. This file has no imports, so that forms and pages can use it. */
export const consentBases = ["express_written", "express", "existing_relationship", "legitimate_interest"] as const
export const consentChannels = ["automated_call", "live_call", "any_call"] as const
/** The most entries in one request. 1,000 of the longest words, 4.8 MB, held the event loop for 95 ms. */
export const mostConsentsAtOnce = 200
