/** Saves what came of a campaign, and why it dialled as it did, as CSV files. */
import { problemOf } from "../../data/Problem.ts"
import { download } from "../../data/Rest.ts"
import { notice } from "../../shell/Notices.tsx"

const fileName = (name: string, what: string): string =>
  `${
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "") || "campaign"
  }-${what}.csv`

/** A failure is a notice that offers another try: the user may have left the page that began the export. */
const exportAs = async (account: string, path: string, file: string, what: string): Promise<void> => {
  try {
    await download(account, path, file)
  } catch (error) {
    notice({
      text: `${what} were not exported. ${problemOf(error).detail}`,
      act: { word: "Try again", onAct: () => void exportAs(account, path, file, what) },
    })
  }
}

/** `found`: the filter of the contacts that are exported; empty: all of them. */
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
