/** The result of the import: accepted, duplicate and invalid rows, and each fault with line, column and reason. */
import { IconDownload } from "@tabler/icons-react"
import { saveAs } from "../../data/Rest.ts"
import { Button } from "../../ui/Button.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { count, counted } from "../../words/Figures.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"
import type { ContactFile } from "./ContactFile.ts"
import { faultWords } from "./FaultWords.ts"
import "./ImportReport.css"

const shown = 3

export interface ImportReportProps {
  readonly campaign: OpenCampaign
  readonly file: ContactFile | undefined
}

export const ImportReport = ({ campaign, file }: ImportReportProps) => {
  const { accepted, duplicates, errors, invalid, rows } = campaign.import
  const save = async () => {
    const { refusedRows } = await import("./ContactFile.ts")
    saveAs(new Blob([refusedRows(errors, file)], { type: "text/csv" }), "left-out.csv")
  }
  const first = errors.slice(0, shown)
  return (
    <Panel
      title={`${count(accepted)} of ${count(rows)} rows are ready to call`}
      aside={
        errors.length > 0 && (
          <Button look="quiet" size="row" icon={<IconDownload aria-hidden />} onPress={save}>
            {downloadWords(errors.length, invalid)}
          </Button>
        )
      }
    >
      <dl className="ImportReport">
        {[
          { value: accepted, word: "accepted" },
          { value: duplicates, word: duplicates === 1 ? "duplicate, kept once" : "duplicates, kept once" },
          { value: invalid, word: "invalid, left out" },
        ].map(({ value, word }) => (
          <div key={word}>
            <dd className="ImportReport-figure">{count(value)}</dd>
            <dt className="second-line">{word}</dt>
          </div>
        ))}
      </dl>
      {first.length > 0 && (
        <ul>
          {first.map(({ column, detail, line }) => (
            <li key={`${line} ${column}`} className="ImportReport-fault">
              <span className="quiet">line {count(line)}</span>
              <span className="mono">{column}</span>
              <span className="ImportReport-value mono">{valueAt(file, line, column)}</span>
              <span>{faultWords(detail)}</span>
            </li>
          ))}
        </ul>
      )}
      {invalid > first.length && (
        <p className="ImportReport-fault quiet">
          {errors.length > first.length
            ? `${counted(errors.length - first.length, "more line")} in the download, each with its reason.`
            : `${counted(invalid - first.length, "more line")}.`}
        </p>
      )}
    </Panel>
  )
}

/**
 * The server explains only the first of many faults. Duplicates are not among them, since their number is in the list.
 */
const downloadWords = (explained: number, invalid: number): string => {
  if (explained < invalid) return `Download ${count(explained)} of the ${count(invalid)} invalid rows`
  return invalid === 1 ? "Download the invalid row" : `Download the ${count(invalid)} invalid rows`
}

/** The value of the faulty cell in the row that begins on the line. */
const valueAt = (file: ContactFile | undefined, line: number, column: string | null): string => {
  if (file === undefined || column === null) return ""
  return file.rows[file.rowLines.indexOf(line)]?.[file.columns.indexOf(column)] ?? ""
}
