/** Where a new campaign begins that takes its settings from one that has ended. */
import type { Campaign } from "../../data/Campaigns.ts"

/** At its contacts: who calls and from which number is known, unless the campaign failed for lack of one of them. */
export const usedAgain = ({ id, status }: Pick<Campaign, "id" | "status">) =>
  status === "failed" ? { from: id } : { from: id, step: "contacts" as const }
