/** The account's name and time zone, for its owners to change. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Settings } from "../../../../src/rpc/inputs/AccountSettings.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { platformQueries } from "../../data/Queries.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

export interface SettingsFormProps {
  readonly settings: Outputs["account"]["settings"]["get"]
  readonly onClose: () => void
}

export const SettingsForm = ({ onClose, settings }: SettingsFormProps) => {
  const rpc = useRpc()
  const { account } = useRpcClient()
  const queries = useQueryClient()
  const [name, setName] = useState(settings.name)
  const [zone, setZone] = useState<string>(settings.time_zone)
  const value = { name: name.trim(), time_zone: zone.trim() }
  return (
    <FormDialog
      title={`Change ${settings.name}`}
      verb="Save"
      schema={Settings}
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
      {(problems) => (
        <>
          <Field label="Name" autoFocus value={name} onChange={setName} problem={said(problems["name"])} />
          <Field
            label="Time zone"
            value={zone}
            onChange={setZone}
            placeholder="America/New_York"
            problem={said(problems["time_zone"])}
            hint="Times are shown in this zone, and each day’s calls are counted from its midnight."
          />
        </>
      )}
    </FormDialog>
  )
}
