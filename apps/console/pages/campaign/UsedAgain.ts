/** The link to a new campaign with the settings of an ended one. */
import type { Campaign } from "../../data/Campaigns.ts"

/**
 * Starts at the contacts, since agent and number are known. A failed campaign may lack one of them, so it starts at the
 * first step.
 */
export const usedAgain = ({ id, status }: Pick<Campaign, "id" | "status">) =>
  status === "failed" ? { from: id } : { from: id, step: "contacts" as const }
