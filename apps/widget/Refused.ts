/** A refusal by the server, and the sentence that the visitor reads. */
export interface Refusal {
  readonly code: string
  readonly detail: string
  readonly retryAfter: number | undefined
}

/** The server refused, with its reason. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

const refusals: Record<string, string> = {
  concurrent_cap: "All lines are busy. Try again in a minute.",
  per_minute_cap: "All lines are busy. Try again in a minute.",
  daily_cap: "No more conversations are possible today. Try again tomorrow.",
  voice_unavailable: "Calls aren't available right now. You can write instead.",
  too_many_streams: "Too many visitors are here right now. Try again in a minute.",
  rate_limited: "Too many messages or conversations from your network. Try again in a minute.",
}
const unavailable = "The chat isn't available right now."

export const sentenceOf = (refusal: Refusal | undefined): string => refusals[refusal?.code ?? ""] ?? unavailable
