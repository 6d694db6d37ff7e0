/** The link to a new campaign with the settings of an ended one. */
import type { Campaign } from "../../data/Campaigns.ts"

/** Begins with the contacts, since agent and number are known, unless the campaign failed because one of them is missing. */
export const usedAgain = ({ id, status }: Pick<Campaign, "id" | "status">) =>
  status === "failed" ? { from: id } : { from: id, step: "contacts" as const }
