/** The time after an answered call in which a campaign does not call the same number (decision 0085). */

/** The call that began a quiet period, for the record of the decision. */
export interface QuietPeriod {
  readonly until: string
  readonly ended_at: string
  readonly call_id: string
  readonly campaign_id: string
  readonly campaign_name: string
}
