/** A phone number's carrier asked whether calls can be placed, without a call. */
import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Verdict } from "../../ui/Verdict.tsx"
import { count } from "../../words/Figures.ts"

export interface CheckNumberProps {
  readonly id: string
  /** The number as it is shown. */
  readonly name: string
  readonly onClose: () => void
}

export const CheckNumber = ({ id, name, onClose }: CheckNumberProps) => {
  const rpc = useRpc()
  const { data, error, isPending, mutate } = useMutation(rpc.phoneNumbers.check.mutationOptions())
  useEffect(() => mutate({ id }), [id, mutate])
  return (
    <Dialog title={`Check of ${name}`} isOpen onClose={onClose}>
      <div aria-live="polite">
        {isPending && <p className="quiet">Asking the carrier for up to 10 s…</p>}
        {!isPending && data !== undefined && (
          <>
            <Verdict isGood={data.ok}>{data.detail}</Verdict>
            {data.duration_ms > 0 && <p className="quiet">After {count(data.duration_ms)} ms.</p>}
          </>
        )}
        {error !== null && <ProblemLine problem={problemOf(error)} />}
      </div>
      <DialogActs>
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
        <Button isDisabled={isPending} onPress={() => mutate({ id })}>
          Check again
        </Button>
      </DialogActs>
    </Dialog>
  )
}
