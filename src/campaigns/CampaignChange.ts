/** A change of a campaign's settings: which of them differ, and what a campaign that has started keeps. */
import { InvalidState } from "../domain/Refusals.ts"
import type * as Campaigns from "./Campaigns.ts"

/** `loosen_rules`: permits the removal of rule packs from a campaign that has started. */
export interface CampaignChange extends Partial<Campaigns.CampaignSettings> {
  readonly loosen_rules?: boolean
}

/** What a campaign that has started keeps of its packs as they were frozen; a draft takes them as the installation has them. */
export const keptBy = ({ rules, status }: Campaigns.CampaignRow) => (status === "draft" ? [] : rules)

export const keepsRules = ({ status }: Campaigns.CampaignRow, packs: ReadonlyArray<string>) =>
  new InvalidState({
    state: status,
    detail: `A ${status} campaign keeps its rule packs, and you left out ${packs.join(", ")}. To remove them all the same, send loosen_rules: true; the audit log records it`,
  })

/** Fields whose values differ; a field that is sent back unchanged is ignored (decisions §2, Updates). */
export const differences = (
  before: Campaigns.CampaignSettings,
  after: Campaigns.CampaignSettings,
): ReadonlyArray<string> =>
  Object.entries(after).flatMap(([field, value]) => {
    const present: unknown = before[field as keyof Campaigns.CampaignSettings]
    return comparable(present) === comparable(value) ? [] : [field]
  })

/** The value as text to compare, with sorted keys: jsonb keeps no order of keys. */
const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
