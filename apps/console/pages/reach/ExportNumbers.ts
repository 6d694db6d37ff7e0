/** Saves the do-not-call list, or what a search finds in it, as a CSV file. */
import type { RpcClient } from "../../data/Rpc.ts"
import { toCsv } from "../../data/CsvText.ts"
import { saveAs } from "../../data/Rest.ts"

const pageSize = 100
const columns = ["phone_number", "source", "reason", "created_at", "expires_at", "call_id"] as const

/** The entries that the page shows for this search, on all of its pages. */
export const exportNumbers = async (client: RpcClient, search: string | undefined): Promise<void> => {
  const rows: Array<Record<(typeof columns)[number], string | null>> = []
  for (let page = 0; ; page++) {
    const { items, total } = await client.suppressions.list.query({
      page,
      page_size: pageSize,
      ...(search !== undefined && { search }),
    })
    rows.push(...items)
    if (items.length < pageSize || rows.length >= total) break
  }
  saveAs(new Blob([toCsv(columns, rows)], { type: "text/csv" }), "do-not-call.csv")
}
