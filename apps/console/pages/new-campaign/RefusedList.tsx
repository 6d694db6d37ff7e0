/** A contact list that was refused as a whole, so nothing of it is stored. Shows the faults of its rows. */
import { IconDownload } from "@tabler/icons-react"
import { saveAs } from "../../data/Rest.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { count, counted } from "../../words/Figures.ts"
import type { ContactFile } from "./ContactFile.ts"
import { faultWords } from "./FaultWords.ts"
import "./ImportReport.css"

const shown = 5

export interface RefusedListProps {
  readonly errors: ReadonlyArray<{ readonly detail: string }>
  readonly file: ContactFile | undefined
}

export const RefusedList = ({ errors, file }: RefusedListProps) => {
  const faults = errors.flatMap(({ detail }) => {
    const [, line, why] = /^line (\d+): (.+)$/s.exec(detail) ?? []
    return line === undefined || why === undefined ? [] : [{ line: Number(line), column: null, detail: why }]
  })
  if (faults.length === 0) return null
  const save = async () => {
    const { refusedRows } = await import("./ContactFile.ts")
    saveAs(new Blob([refusedRows(faults, file)], { type: "text/csv" }), "refused.csv")
  }
  return (
    <Panel
      title="Nothing was stored"
      aside={
        <Button look="quiet" size="row" icon={<IconDownload aria-hidden />} onPress={save}>
          {faults.length === 1 ? "Download the row" : `Download the ${count(faults.length)} rows`}
        </Button>
      }
    >
      <ul>
        {faults.slice(0, shown).map(({ detail, line }) => (
          <li key={line} className="ImportReport-fault">
            <span className="quiet">line {count(line)}</span>
            <span>{faultWords(detail)}</span>
          </li>
        ))}
      </ul>
      {faults.length > shown && (
        <p className="ImportReport-fault quiet">
          {counted(faults.length - shown, "more row")} in the download, each with its reason.
        </p>
      )}
    </Panel>
  )
}
