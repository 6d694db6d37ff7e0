/** Why a call ended, in more detail than its outcome. This file has no imports, so that forms can use it. */
export const endReasons = [
  /** Not answered: the outcome says why. */
  "not_answered",
  /** The other side hung up. */
  "caller_hung_up",
  /** The agent said goodbye and hung up. */
  "agent_hung_up",
  /** `POST /api/v1/calls/{id}/hangup`. */
  "hung_up",
  "transferred",
  /**
   * The person to whom a call was to be handed over did not take it. Only the second call of a warm transfer ends so.
   */
  "not_taken",
  "voicemail",
  "opted_out",
  "silence",
  "max_duration",
  /** The line broke in the middle of the call. */
  "line_lost",
  /** The agent, or something that it depends on, failed. */
  "agent_error",
  /** The agent or the phone number was deleted before the call began. */
  "agent_missing",
  "phone_number_missing",
  /** This build has no adapter for the phone number's carrier. */
  "carrier_unavailable",
  /** The process that conducted the call is gone, or was stopped. */
  "interrupted",
] as const
