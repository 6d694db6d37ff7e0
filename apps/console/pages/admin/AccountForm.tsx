/** An account as a form: its name, its caps, its zone, whether it is listed. */
import { useState } from "react"
import { AccountChange, NewAccount } from "../../../../src/rpc/inputs/Accounts.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { said } from "../../data/Checks.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Switch } from "../../ui/Switch.tsx"

export type Account = Outputs["accounts"]["get"]

export interface AccountFormProps {
  /** Left out, a new one is made. */
  readonly account?: Account
  readonly onClose: () => void
  readonly onSaved: (account: Account) => Promise<void>
}

const caps = [
  { field: "concurrent_max", label: "Concurrent calls" },
  { field: "calls_per_minute", label: "Calls per minute" },
  { field: "calls_per_day", label: "Calls per day" },
] as const

export const AccountForm = ({ account, onClose, onSaved }: AccountFormProps) => {
  const client = useRpcClient()
  const [slug, setSlug] = useState("")
  const [name, setName] = useState(account?.name ?? "")
  const [zone, setZone] = useState<string>(account?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [isListed, setListed] = useState(account?.discoverable ?? false)
  const [typed, setTyped] = useState({
    concurrent_max: String(account?.concurrent_max ?? 10),
    calls_per_minute: String(account?.calls_per_minute ?? 60),
    calls_per_day: String(account?.calls_per_day ?? 10_000),
  })
  const change = {
    name,
    time_zone: zone,
    discoverable: isListed,
    concurrent_max: Number(typed.concurrent_max),
    calls_per_minute: Number(typed.calls_per_minute),
    calls_per_day: Number(typed.calls_per_day),
  }
  const value = account === undefined ? { slug, ...change } : change
  return (
    <FormDialog
      title={account === undefined ? "New account" : `Change ${account.name}`}
      verb={account === undefined ? "Make the account" : "Save"}
      schema={account === undefined ? NewAccount : AccountChange}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        await onSaved(
          account === undefined
            ? await client.accounts.create.mutate(NewAccount.parse(value))
            : await client.accounts.update.mutate({
                ...AccountChange.parse(change),
                slug: account.slug,
                etag: account.etag,
              }),
        )
      }}
    >
      {(problems) => (
        <>
          {account === undefined && (
            <Field
              label="Account"
              isMono
              autoFocus
              value={slug}
              onChange={setSlug}
              placeholder="harbor-dental"
              problem={said(problems["slug"])}
              hint="Part of every link. It can’t be changed later."
            />
          )}
          <Field label="Name" value={name} onChange={setName} problem={said(problems["name"])} />
          <div className="Form-pair">
            {caps.map(({ field, label }) => (
              <Field
                key={field}
                label={label}
                inputMode="numeric"
                value={typed[field]}
                onChange={(text) => setTyped({ ...typed, [field]: text })}
                problem={said(problems[field])}
              />
            ))}
            <Field
              label="Time zone"
              value={zone}
              onChange={setZone}
              problem={said(problems["time_zone"])}
              placeholder="America/New_York"
            />
          </div>
          <Switch isOn={isListed} onChange={setListed}>
            Listed on the sign-in page
          </Switch>
        </>
      )}
    </FormDialog>
  )
}
