/** The types of events. Free of imports, so that forms and pages can use them. */
export const eventTypes = [
  "call.started",
  "call.ended",
  "call.opted_out",
  "call.extracted",
  "call.disposition_set",
  "campaign.started",
  "campaign.paused",
  "campaign.completed",
  "campaign.failed",
  "contact.completed",
  "contact.failed",
  "contact.callback_scheduled",
  "phone_number.rested",
] as const
