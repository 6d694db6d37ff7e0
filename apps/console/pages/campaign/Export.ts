/** Saves a campaign's results and the decisions behind its calls as CSV files. */
import { exportAs } from "../../data/Exports.ts"

const fileName = (name: string, what: string): string =>
  `${
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "") || "campaign"
  }-${what}.csv`

/** `found` filters the contacts to export. Empty exports all. */
export const exportResults = (
  account: string,
  id: string,
  name: string,
  found: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const query = new URLSearchParams(found).toString()
  const path = `/api/v1/campaigns/${id}/results.csv${query === "" ? "" : `?${query}`}`
  return exportAs(account, path, fileName(name, "results"), `The results of ${name}`)
}

export const exportDecisions = (account: string, id: string, name: string): Promise<void> =>
  exportAs(account, `/api/v1/campaigns/${id}/decisions.csv`, fileName(name, "decisions"), `The decisions of ${name}`)
