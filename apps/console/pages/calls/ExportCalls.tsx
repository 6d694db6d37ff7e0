/** Saves the calls that the filters find, on all pages of the list, as a CSV file. */
import { IconDownload } from "@tabler/icons-react"
import { useAccount } from "../../data/Account.tsx"
import { exportAs } from "../../data/Exports.ts"
import { Button } from "../../ui/Button.tsx"
import type { Asked } from "./CallFilters.tsx"

export const ExportCalls = ({ asked }: { readonly asked: Asked }) => {
  const { slug } = useAccount()
  const query = new URLSearchParams(Object.entries(asked)).toString()
  const path = `/api/v1/calls.csv${query === "" ? "" : `?${query}`}`
  return (
    <Button icon={<IconDownload aria-hidden />} onPress={() => void exportAs(slug, path, "calls.csv", "The calls")}>
      {query === "" ? "Export" : "Export what is found"}
    </Button>
  )
}
