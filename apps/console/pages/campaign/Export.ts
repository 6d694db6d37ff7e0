/** Saves what came of a campaign, and why it dialled as it did, as CSV files. */
import { download } from "../../data/Rest.ts"

const fileName = (name: string, what: string): string =>
  `${
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "") || "campaign"
  }-${what}.csv`

export const exportResults = (account: string, id: string, name: string): Promise<void> =>
  download(account, `/api/v1/campaigns/${id}/results.csv`, fileName(name, "results"))

export const exportDecisions = (account: string, id: string, name: string): Promise<void> =>
  download(account, `/api/v1/campaigns/${id}/decisions.csv`, fileName(name, "decisions"))
