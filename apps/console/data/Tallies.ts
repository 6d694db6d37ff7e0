/** A campaign's contacts by state, as the parts of its bar. */
import type { CampaignView } from "./LiveViews.ts"

export type Tally = CampaignView["tally"]

/** Completed, failed or skipped contacts: they get no more calls. */
export const countDone = ({ completed, failed, skipped }: Pick<Tally, "completed" | "failed" | "skipped">): number =>
  completed + failed + skipped

/** Contacts whose last call has ended. Skipped contacts do not count. */
export const countCalled = ({ completed, failed }: Pick<Tally, "completed" | "failed">): number => completed + failed

export const talliesById = (tallies: ReadonlyArray<Tally>): ReadonlyMap<string, Tally> =>
  new Map(tallies.map((tally) => [tally.campaign_id as string, tally]))
