/** Asks a phone number's carrier whether calls can be placed, without placing one. */
import { useMutation } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"
import { TrialDialog } from "../../ui/TrialDialog.tsx"
import { Verdict } from "../../ui/Verdict.tsx"
import { count } from "../../words/Figures.ts"

export interface CheckNumberProps {
  readonly id: string
  /** The number as shown to the user. */
  readonly name: string
  readonly onClose: () => void
}

export const CheckNumber = ({ id, name, onClose }: CheckNumberProps) => {
  const rpc = useRpc()
  const trial = useMutation(rpc.phoneNumbers.check.mutationOptions())
  const { data, isPending } = trial
  return (
    <TrialDialog title={`Check of ${name}`} trial={trial} id={id} again="Check again" onClose={onClose}>
      {isPending && <p className="quiet">Asking the carrier for up to 10 s…</p>}
      {!isPending && data !== undefined && (
        <>
          <Verdict isGood={data.ok}>{data.detail}</Verdict>
          {data.duration_ms > 0 && <p className="quiet">After {count(data.duration_ms)} ms.</p>}
        </>
      )}
    </TrialDialog>
  )
}
