/** Creates an API key from its name, its permissions and its expiry. */
import { NewApiKey as Input } from "../../../../src/rpc/inputs/Keys.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"

type Scope = "read" | "write" | "dial" | "audit"

const scopes: ReadonlyArray<{ readonly scope: Scope; readonly about: string }> = [
  { scope: "read", about: "read: see everything" },
  { scope: "write", about: "write: change agents, lists, campaigns" },
  { scope: "dial", about: "dial: place calls, start campaigns" },
  { scope: "audit", about: "audit: read the audit log" },
]

const lives = [
  { id: "never", word: "never" },
  { id: "30", word: "in 30 days" },
  { id: "90", word: "in 90 days" },
  { id: "365", word: "in a year" },
]

const day = 86_400_000

interface NewKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** The id of one of `lives`. */
  readonly life: string
}

export interface NewApiKeyProps {
  readonly onClose: () => void
  readonly onMade: (key: { readonly name: string; readonly key: string }) => Promise<void>
}

export const NewApiKey = ({ onClose, onMade }: NewApiKeyProps) => {
  const client = useRpcClient()
  const draft = useFields<NewKey>({ name: "", scopes: ["read"], life: "90" })
  const { life, name, scopes: chosen } = draft.value
  const value = { name, scopes: [...chosen] }
  return (
    <FormDialog
      title="New API key"
      verb="Create key"
      schema={Input}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        const expires_at = life === "never" ? null : new Date(Date.now() + Number(life) * day).toISOString()
        await onMade(await client.apiKeys.create.mutate({ ...value, expires_at }))
      }}
    >
      {(form) => (
        <>
          <DraftField form={form} name="name" label="Name" autoFocus hint="Name it after what uses it." />
          <div className="Form" role="group" aria-label="Scopes">
            {scopes.map(({ about, scope }) => (
              <Switch
                key={scope}
                isOn={chosen.includes(scope)}
                onChange={(isOn) =>
                  draft.set(
                    "scopes",
                    scopes.map((one) => one.scope).filter((one) => (one === scope ? isOn : chosen.includes(one))),
                  )
                }
              >
                {about}
              </Switch>
            ))}
            {form.problems["scopes"] !== undefined && <p className="Field-problem">Choose at least one.</p>}
          </div>
          <SelectMenu
            form="field"
            label="Expires"
            chosen={life}
            choices={lives}
            onChoose={(id) => draft.set("life", id)}
          />
        </>
      )}
    </FormDialog>
  )
}
