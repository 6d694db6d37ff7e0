/** The form for the account's name, time zone and retention, for its owners. */
import { useQueryClient } from "@tanstack/react-query"
import { Settings } from "../../../../src/rpc/inputs/AccountSettings.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { platformQueries } from "../../data/Queries.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { RetentionFields, retentionOf, typedRetention } from "./RetentionFields.tsx"

export interface SettingsFormProps {
  readonly settings: Outputs["account"]["settings"]["get"]
  readonly onClose: () => void
}

export const SettingsForm = ({ onClose, settings }: SettingsFormProps) => {
  const rpc = useRpc()
  const { account } = useRpcClient()
  const queries = useQueryClient()
  const draft = useFields({
    name: settings.name,
    time_zone: String(settings.time_zone),
    ...typedRetention(settings),
  })
  const value = {
    name: draft.value.name.trim(),
    time_zone: draft.value.time_zone.trim(),
    ...retentionOf(draft.value),
  }
  return (
    <FormDialog
      title={`Change ${settings.name}`}
      verb="Save"
      schema={Settings}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        await account.settings.update.mutate({ ...Settings.parse(value), etag: settings.etag })
        // The switcher and the sign-in show the name, too.
        await Promise.all([
          queries.invalidateQueries({ queryKey: rpc.account.pathKey() }),
          platformQueries.invalidateQueries(),
        ])
        onClose()
        notice({ text: "The account is saved." })
      }}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" autoFocus />
          <DraftField
            form={form}
            name="time_zone"
            label="Time zone"
            placeholder="America/New_York"
            hint="Times are shown in this zone, and each day’s calls are counted from its midnight."
          />
          <RetentionFields form={form} />
          <p className="second-line">What is older is deleted within the hour, for good.</p>
        </>
      )}
    </FormDialog>
  )
}
