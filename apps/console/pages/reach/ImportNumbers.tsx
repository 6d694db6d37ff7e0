/** Adds many numbers to the do-not-call list, pasted or from a CSV file. Lines without a number are reported. */
import { useRef, useState } from "react"
import { NewSuppression } from "../../../../src/rpc/inputs/Suppressions.ts"
import { useAct } from "../../data/Act.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { saveAs } from "../../data/Rest.ts"
import { Meter } from "../../figures/Meter.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, counted } from "../../words/Figures.ts"
import { leftOut, type Numbers, numbersIn } from "./Numbers.ts"

export interface ImportNumbersProps {
  readonly onClose: () => void
  readonly onDone: () => Promise<unknown>
}

/** The most numbers in one request. */
const together = 20

export const ImportNumbers = ({ onClose, onDone }: ImportNumbersProps) => {
  const client = useRpcClient()
  const [text, setText] = useState("")
  const [added, setAdded] = useState<number>()
  const { isBusy, problem, run } = useAct()
  const file = useRef<HTMLInputElement>(null)
  const found: Numbers = numbersIn(text)
  const isDone = added !== undefined && added === found.numbers.length
  const add = async () => {
    // For a number on the list only the reason changes, so an import can be repeated after a failure.
    let done = 0
    setAdded(done)
    try {
      while (done < found.numbers.length) {
        const some = found.numbers.slice(done, done + together)
        await Promise.all(
          some.map(({ phone_number, reason }) =>
            client.suppressions.add.mutate(NewSuppression.parse({ phone_number, reason })),
          ),
        )
        done += some.length
        setAdded(done)
      }
    } finally {
      await onDone()
    }
  }
  return (
    <Dialog title="Import numbers" isOpen onClose={onClose} isDismissable={!isBusy} size="wide">
      <div className="Form">
        <Field
          label="Numbers"
          rows={8}
          isMono
          autoFocus
          value={text}
          isReadOnly={added !== undefined}
          onChange={setText}
          placeholder={"+16175550142\n+17815550109,asked by letter"}
          hint="One per line, with + and the country code; after a comma, a reason. Or paste a CSV with a phone_number column."
        />
        {text.trim() !== "" && (
          <p aria-live="polite">
            <strong>{counted(found.numbers.length, "number")}</strong>
            {found.doubles > 0 && <span className="quiet">, {counted(found.doubles, "double")} left out</span>}
            {found.faults.length > 0 && (
              <span className="Field-problem">, {counted(found.faults.length, "line")} that cannot be read</span>
            )}
            .
          </p>
        )}
        {found.faults.length > 0 && (
          <ul className="second-line">
            {found.faults.slice(0, 4).map(({ line, reason, value }) => (
              <li key={line}>
                line {count(line)}: {value} {reason}
              </li>
            ))}
            {found.faults.length > 4 && <li>{counted(found.faults.length - 4, "more line")} in the download.</li>}
          </ul>
        )}
        {added !== undefined && (
          <div role="status">
            <p>
              {isDone
                ? `${counted(added, "number")} on the do-not-call list.`
                : `${count(added)} of ${count(found.numbers.length)} so far.`}
            </p>
            <Meter label="Numbers added" used={added} limit={found.numbers.length} />
          </div>
        )}
        {problem !== undefined && <ProblemLine problem={problem} />}
        <input
          ref={file}
          type="file"
          accept=".csv,text/csv,text/plain"
          hidden
          onChange={async ({ target }) => setText((await target.files?.[0]?.text()) ?? "")}
        />
        <DialogActs
          after={
            found.faults.length > 0 && (
              <Button look="quiet" onPress={() => saveAs(leftOut(found), "left-out.csv")}>
                Download the {count(found.faults.length)} left out
              </Button>
            )
          }
        >
          {isDone ? (
            <Button look="primary" onPress={onClose}>
              Done
            </Button>
          ) : (
            <>
              <Button look="primary" isDisabled={found.numbers.length === 0 || isBusy} onPress={() => run(add)}>
                Never call {counted(found.numbers.length, "number")}
              </Button>
              <Button isDisabled={isBusy} onPress={() => file.current?.click()}>
                Choose a file
              </Button>
              <Button look="quiet" isDisabled={isBusy} onPress={onClose}>
                Cancel
              </Button>
            </>
          )}
        </DialogActs>
      </div>
    </Dialog>
  )
}
