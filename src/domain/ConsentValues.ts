/** The grounds and channels of consents. This file has no imports, so that forms and pages can use it. */
export const consentBases = ["express_written", "express", "existing_relationship", "legitimate_interest"] as const
export const consentChannels = ["automated_call", "live_call", "any_call"] as const
/** The most entries in one request. So many fit into its body of 1 MB with the longest words of two bytes a character. */
export const mostConsentsAtOnce = 200
