/** Saves the whole do-not-call list as a CSV file. */
import { stringify } from "csv-stringify/browser/esm/sync"
import type { RpcClient } from "../../data/Rpc.ts"
import { saveAs } from "../../data/Rest.ts"

const pageSize = 100
const columns = ["phone_number", "source", "reason", "created_at", "expires_at", "call_id"]

export const exportNumbers = async (client: RpcClient): Promise<void> => {
  const rows: Array<object> = []
  for (let page = 0; ; page++) {
    const { items, total } = await client.suppressions.list.query({ page, page_size: pageSize })
    rows.push(...items)
    if (items.length < pageSize || rows.length >= total) break
  }
  const text = stringify(rows, { columns, header: true })
  saveAs(new Blob([text], { type: "text/csv" }), "do-not-call.csv")
}
