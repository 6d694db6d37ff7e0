/** How a call can end, best first. This file has no imports, so that forms and pages can use it. */
export const outcomes = [
  "answered",
  "voicemail",
  "no_answer",
  "busy",
  "rejected",
  "invalid_number",
  "carrier_error",
  "unknown",
] as const
