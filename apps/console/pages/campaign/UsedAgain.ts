/** The link to a new campaign with the settings of an ended one. */
import type { Campaign } from "../../data/Campaigns.ts"

/**
 * Starts at the contacts, since agent and number are known, or at the first step if the campaign failed: one may be
 * missing.
 */
export const usedAgain = ({ id, status }: Pick<Campaign, "id" | "status">) =>
  status === "failed" ? { from: id } : { from: id, step: "contacts" as const }
