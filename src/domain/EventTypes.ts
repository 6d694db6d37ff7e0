/** The types of events. Plain words, so that forms and pages can import them too. */
export const eventTypes = [
  "call.started",
  "call.ended",
  "campaign.started",
  "campaign.paused",
  "campaign.completed",
  "campaign.failed",
  "contact.completed",
  "contact.failed",
] as const
