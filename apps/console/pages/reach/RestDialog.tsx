/** Lets a phone number rest, until a time or until a user ends the rest, or changes the rest in progress. */
import { RestNumber } from "../../../../src/rpc/inputs/CallerNumbers.ts"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { problemAt } from "../../data/Checks.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { placeOf } from "../../words/Times.ts"
import { localInput, momentIn } from "../new-campaign/LocalTime.ts"

export interface RestDialogProps {
  readonly number: Pick<Outputs["callerNumbers"]["get"], "id" | "rest">
  /** The number as shown to the user. */
  readonly name: string
  readonly onRested: () => Promise<unknown>
  readonly onClose: () => void
}

export const RestDialog = ({ name, number: { id, rest }, onClose, onRested }: RestDialogProps) => {
  const client = useRpcClient()
  const zone = useZone()
  const draft = useFields(() => ({
    until: typeof rest?.until === "string" ? localInput(new Date(rest.until), zone) : "",
    detail: rest?.reason === "user" ? (rest.detail ?? "") : "",
  }))
  const { detail, until } = draft.value
  const value = {
    id,
    until: until === "" ? null : (momentIn(until, zone)?.toISOString() ?? until),
    detail: detail.trim() === "" ? null : detail.trim(),
  }
  return (
    <FormDialog
      title={rest === null ? `Let ${name} rest` : `Change the rest of ${name}`}
      verb={rest === null ? "Let it rest" : "Change the rest"}
      schema={RestNumber}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        await client.callerNumbers.rest.mutate(value)
        await onRested()
        onClose()
        notice({ text: `${name} rests.` })
      }}
    >
      {(form) => (
        <>
          <p className="quiet">
            No campaign calls from it until the rest ends. Calls in progress continue, and direct calls and transfers
            can still use it.
          </p>
          <Field
            label={`Until, in ${placeOf(zone)}`}
            type="datetime-local"
            value={until}
            onChange={(typed) => draft.set("until", typed)}
            problem={problemAt(form.problems, "until")}
            hint="Empty: until you let it call again."
          />
          <DraftField form={form} name="detail" label="Why" hint="Optional. A note for your team." />
        </>
      )}
    </FormDialog>
  )
}
