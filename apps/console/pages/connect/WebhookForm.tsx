/** A webhook as a form: its URL, its events, and a new secret if the URL moves to another origin. */
import { eventTypes } from "../../../../src/domain/EventTypes.ts"
import { NewWebhook, WebhookChange } from "../../../../src/rpc/inputs/Webhooks.ts"
import { useFields } from "../../data/Fields.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { isElsewhere } from "../../words/Origins.ts"
import { shortUrl, type Webhook } from "./WebhookWords.ts"

export interface WebhookFormProps {
  /** Omitted for a new webhook. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook) => Promise<void>
}

/** A secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in Base64. */
const newSecret = (): string => `whsec_${btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))))}`

export const WebhookForm = ({ onClose, onSaved, webhook }: WebhookFormProps) => {
  const client = useRpcClient()
  const draft = useFields<Pick<Webhook, "url" | "description" | "events" | "secret">>(() => ({
    url: webhook?.url ?? "https://",
    description: webhook?.description ?? "",
    events: webhook?.events ?? ["*"],
    secret: newSecret(),
  }))
  const { description, events, secret, url } = draft.value
  // The server refuses to use the stored secret for another origin.
  const needsSecret = webhook !== undefined && isElsewhere(url, webhook.url)
  const isAll = events.includes("*")
  const value = { url, description, events: [...events], ...(needsSecret && { secret }) }
  return (
    <FormDialog
      title={webhook === undefined ? "New webhook" : `Change ${shortUrl(webhook.url)}`}
      verb={webhook === undefined ? "Make the webhook" : "Save"}
      schema={webhook === undefined ? NewWebhook : WebhookChange}
      draft={draft}
      value={value}
      onClose={onClose}
      onSubmit={async () => {
        await onSaved(
          webhook === undefined
            ? await client.webhooks.create.mutate(value)
            : await client.webhooks.update.mutate({ ...value, id: webhook.id, etag: webhook.etag }),
        )
      }}
    >
      {(form) => (
        <>
          <DraftField
            form={form}
            name="url"
            label="Address"
            type="url"
            isMono
            autoFocus
            hint="https, and reachable from the internet."
          />
          {needsSecret && (
            <DraftField
              form={form}
              name="secret"
              label="New secret"
              isMono
              hint="The stored secret belongs to the old address. Copy this one to the new receiver now, or enter its own. It won’t be shown again."
            />
          )}
          <div className="Form" role="group" aria-label="Events">
            <Switch isOn={isAll} onChange={(isOn) => draft.set("events", isOn ? ["*"] : ["call.ended"])}>
              Every event, including types added later
            </Switch>
            {!isAll &&
              eventTypes.map((type) => (
                <Switch
                  key={type}
                  isOn={events.includes(type)}
                  onChange={(isOn) =>
                    draft.set(
                      "events",
                      eventTypes.filter((one) => (one === type ? isOn : events.includes(one))),
                    )
                  }
                >
                  <span className="mono">{type}</span>
                </Switch>
              ))}
            {form.problems["events"] !== undefined && <p className="Field-problem">Choose at least one.</p>}
          </div>
          <DraftField form={form} name="description" label="Purpose" />
        </>
      )}
    </FormDialog>
  )
}
