/** A campaign as clients see it, its ETag, and the fields of a change, for REST and the router. */
import { createHash } from "node:crypto"
import type { Campaign } from "../domain/Campaign.ts"
import type { CampaignRow } from "./Campaigns.ts"

/** Drops the fields that are internal to the engine. */
export const toCampaign = ({
  columns: _columns,
  redial_unknown: _redial,
  revision: _revision,
  variables_of: _variables_of,
  ...campaign
}: CampaignRow): Campaign => campaign

/**
 * Counts and the variable report change without a new revision. The tag covers all of them, but `If-Match` compares
 * only the revision.
 */
export const etagOf = ({ counts, revision, variables_of, waiting_for }: CampaignRow): string => {
  const { completed, failed, in_progress, pending } = counts
  const report = createHash("sha1")
    .update(variables_of ?? "")
    .digest("hex")
    .slice(0, 8)
  return `"${[revision, pending, in_progress, completed, failed, waiting_for ?? "-", report].join(".")}"`
}

export const revisionsOf = (ifMatch: string | undefined): string | undefined =>
  ifMatch?.replaceAll(/"(\d+)\.[^"]*"/g, '"$1"')

/** A client's fields, with its time as a Date. */
export const changeOf = <A extends { readonly scheduled_at?: string | null }>({ scheduled_at, ...change }: A) =>
  scheduled_at === undefined
    ? change
    : { ...change, scheduled_at: scheduled_at === null ? null : new Date(scheduled_at) }
