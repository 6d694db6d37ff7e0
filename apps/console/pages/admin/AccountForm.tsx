/** The form of an account: name, caps, time zone, retention, and whether it is listed. */
import { AccountChange, NewAccount } from "../../../../src/rpc/inputs/Accounts.ts"
import type { Outputs } from "../../data/AccountPulse.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { RetentionFields, retentionOf, typedRetention } from "../account/RetentionFields.tsx"

export type Account = Outputs["accounts"]["get"]

export interface AccountFormProps {
  /** Omitted for a new account. */
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
  const draft = useFields({
    slug: "",
    name: account?.name ?? "",
    time_zone: String(account?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone),
    discoverable: account?.discoverable ?? false,
    concurrent_max: String(account?.concurrent_max ?? 10),
    calls_per_minute: String(account?.calls_per_minute ?? 60),
    calls_per_day: String(account?.calls_per_day ?? 10_000),
    daily_spend_cap: account?.daily_spend_cap ?? "",
    consent_days: String(account?.consent_days ?? ""),
    ...typedRetention(account),
  })
  const { slug, ...others } = draft.value
  const change = {
    ...others,
    concurrent_max: Number(others.concurrent_max),
    calls_per_minute: Number(others.calls_per_minute),
    calls_per_day: Number(others.calls_per_day),
    daily_spend_cap: others.daily_spend_cap.trim() === "" ? null : others.daily_spend_cap.trim(),
    consent_days: others.consent_days.trim() === "" ? null : Number(others.consent_days),
    ...retentionOf(others),
  }
  const value = account === undefined ? { slug, ...change } : change
  return (
    <FormDialog
      title={account === undefined ? "New account" : `Change ${account.name}`}
      verb={account === undefined ? "Make the account" : "Save"}
      schema={account === undefined ? NewAccount : AccountChange}
      draft={draft}
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
      {(form) => (
        <>
          {account === undefined && (
            <DraftField
              form={form}
              name="slug"
              label="Account"
              isMono
              autoFocus
              placeholder="harbor-dental"
              hint="Part of every link. It can’t be changed later."
            />
          )}
          <DraftField form={form} name="name" label="Name" />
          <div className="Form-pair">
            {caps.map(({ field, label }) => (
              <DraftField key={field} form={form} name={field} label={label} inputMode="numeric" />
            ))}
            <DraftField
              form={form}
              name="daily_spend_cap"
              label="Spend at most each day, in US dollars"
              inputMode="decimal"
              hint="Empty for no limit."
            />
            <DraftField form={form} name="time_zone" label="Time zone" placeholder="America/New_York" />
            <DraftField
              form={form}
              name="consent_days"
              label="Days that a consent counts"
              inputMode="numeric"
              hint="For consents without an end of their own. Empty for no end."
            />
          </div>
          <RetentionFields form={form} />
          <Switch isOn={others.discoverable} onChange={(isOn) => draft.set("discoverable", isOn)}>
            Listed on the sign-in page
          </Switch>
        </>
      )}
    </FormDialog>
  )
}
