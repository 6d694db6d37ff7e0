/** Adds many numbers to the do-not-call list, pasted or from a CSV file. The server parses them. */
import { useRef, useState } from "react"
import type { SuppressionReport } from "../../../../src/domain/SuppressionReport.ts"
import { useAccount } from "../../data/Account.tsx"
import { useAct } from "../../data/Act.ts"
import { ask, asMember, saveAs } from "../../data/Rest.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine, sentence } from "../../ui/ProblemLine.tsx"
import { count, counted, size } from "../../words/Figures.ts"
import { DefaultCountry } from "../new-campaign/DefaultCountry.tsx"

export interface ImportNumbersProps {
  readonly onClose: () => void
  readonly onDone: () => Promise<unknown>
}

export const ImportNumbers = ({ onClose, onDone }: ImportNumbersProps) => {
  const { slug } = useAccount()
  const [text, setText] = useState("")
  const [file, setFile] = useState<File>()
  const [country, setCountry] = useState("")
  const [report, setReport] = useState<SuppressionReport>()
  const { clear, isBusy, problem, run } = useAct()
  const picker = useRef<HTMLInputElement>(null)
  // Importing a list again changes nothing, so an import can be repeated after a failure.
  const add = async () => {
    const form = new FormData()
    form.set("numbers", file ?? new Blob([text], { type: "text/csv" }), file?.name ?? "pasted.csv")
    if (country !== "") form.set("default_country", country)
    const body = { method: "POST", headers: asMember(slug), body: form }
    setReport(await ask<SuppressionReport>("/api/v1/suppressions/import", body))
    await onDone()
  }
  return (
    <Dialog title="Import numbers" isOpen onClose={onClose} isDismissable={!isBusy} size="wide">
      {report !== undefined ? (
        <Report report={report} onClose={onClose} onBack={() => setReport(undefined)} />
      ) : (
        <div className="Form">
          {file === undefined ? (
            <Field
              label="Numbers"
              rows={8}
              isMono
              autoFocus
              value={text}
              onChange={(changed) => {
                setText(changed)
                clear()
              }}
              placeholder={"+16175550142\n+17815550109,asked by letter"}
              hint="One per line; after a comma, a reason. Or paste a CSV with a phone_number column; its column campaign_subject limits entries to calls about a subject."
            />
          ) : (
            <p>
              <strong>{file.name}</strong> <span className="quiet">{size(file.size)}</span>{" "}
              <Button look="quiet" size="row" isDisabled={isBusy} onPress={() => setFile(undefined)}>
                Paste numbers instead
              </Button>
            </p>
          )}
          <DefaultCountry chosen={country} onChoose={setCountry} />
          {problem !== undefined && <ProblemLine problem={problem} />}
          <input
            ref={picker}
            type="file"
            accept=".csv,text/csv,text/plain"
            hidden
            onChange={({ target }) => {
              setFile(target.files?.[0])
              clear()
            }}
          />
          <DialogActs>
            <Button
              look="primary"
              isDisabled={(file === undefined && text.trim() === "") || isBusy}
              onPress={() => run(add)}
            >
              {isBusy ? "Importing…" : "Never call these numbers"}
            </Button>
            <Button isDisabled={isBusy} onPress={() => picker.current?.click()}>
              Choose a file
            </Button>
            <Button look="quiet" isDisabled={isBusy} onPress={onClose}>
              Cancel
            </Button>
          </DialogActs>
        </div>
      )}
    </Dialog>
  )
}

/** The number of faults shown. The download has the first hundred. */
const shown = 4

interface ReportProps {
  readonly report: SuppressionReport
  readonly onBack: () => void
  readonly onClose: () => void
}

const Report = ({ onBack, onClose, report }: ReportProps) => {
  const { added, errors, extended, invalid, unchanged } = report
  const save = async () => {
    const { refusedRows } = await import("../new-campaign/ContactFile.ts")
    saveAs(new Blob([refusedRows(errors, undefined)], { type: "text/csv" }), "left-out.csv")
  }
  return (
    <div className="Form">
      <p role="status">
        <strong>{counted(added, "number")} added</strong>
        {extended > 0 && `, ${count(extended)} blocked for longer`}
        {unchanged > 0 && <span className="quiet">, {count(unchanged)} on the list already</span>}
        {invalid > 0 && <span className="Field-problem">, {counted(invalid, "line")} left out</span>}.
      </p>
      {errors.length > 0 && (
        <ul className="second-line">
          {errors.slice(0, shown).map(({ detail, line }) => (
            <li key={line}>
              line {count(line)}: {wordsOf(detail)}
            </li>
          ))}
          {errors.length > shown && <li>{counted(errors.length - shown, "more line")} in the download.</li>}
        </ul>
      )}
      <DialogActs
        after={
          errors.length > 0 && (
            <Button look="quiet" onPress={save}>
              {invalid > errors.length
                ? `Download the first ${count(errors.length)} left out`
                : `Download the ${count(errors.length)} left out`}
            </Button>
          )
        }
      >
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
        {invalid > 0 && <Button onPress={onBack}>Back to the numbers</Button>}
      </DialogActs>
    </div>
  )
}

/** Replaces the field name of the server's form by words of the page. */
const wordsOf = (detail: string): string =>
  sentence(detail.replace("Choose a default country (default_country)", "Go back and choose the country"))
