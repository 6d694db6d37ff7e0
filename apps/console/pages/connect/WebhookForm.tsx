/** A webhook as a form: its address, the events that it gets, and a new secret where the address leads to another receiver. */
import { useState } from "react"
import { eventTypes } from "../../../../src/domain/EventTypes.ts"
import { NewWebhook, WebhookChange } from "../../../../src/rpc/inputs/Webhooks.ts"
import { said } from "../../data/Checks.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { isElsewhere } from "../../words/Origins.ts"
import { shortUrl, type Webhook } from "./WebhookWords.ts"

export interface WebhookFormProps {
  /** Left out, a new one is made. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook) => Promise<void>
}

/** As Standard Webhooks writes them: `whsec_` and 32 random bytes. */
const newSecret = (): string => `whsec_${btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))))}`

export const WebhookForm = ({ onClose, onSaved, webhook }: WebhookFormProps) => {
  const client = useRpcClient()
  const [url, setUrl] = useState(webhook?.url ?? "https://")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [events, setEvents] = useState<Webhook["events"]>(webhook?.events ?? ["*"])
  const [secret, setSecret] = useState(newSecret)
  // The server refuses to sign for another origin with the stored secret.
  const needsSecret = webhook !== undefined && isElsewhere(url, webhook.url)
  const isAll = events.includes("*")
  const value = { url, description, events: [...events], ...(needsSecret && { secret }) }
  return (
    <FormDialog
      title={webhook === undefined ? "New webhook" : `Change ${shortUrl(webhook.url)}`}
      verb={webhook === undefined ? "Make the webhook" : "Save"}
      schema={webhook === undefined ? NewWebhook : WebhookChange}
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
      {(problems) => (
        <>
          <Field
            label="Address"
            type="url"
            isMono
            autoFocus
            value={url}
            onChange={setUrl}
            problem={said(problems["url"])}
            hint="https, and reachable from the internet."
          />
          {needsSecret && (
            <Field
              label="New secret"
              isMono
              value={secret}
              onChange={setSecret}
              problem={said(problems["secret"])}
              hint="The stored secret belongs to the old address. Copy this one to the new receiver now, or enter its own. It won’t be shown again."
            />
          )}
          <div className="Form" role="group" aria-label="Events">
            <Switch isOn={isAll} onChange={(isOn) => setEvents(isOn ? ["*"] : ["call.ended"])}>
              Every event, including types added later
            </Switch>
            {!isAll &&
              eventTypes.map((type) => (
                <Switch
                  key={type}
                  isOn={events.includes(type)}
                  onChange={(isOn) =>
                    setEvents(eventTypes.filter((one) => (one === type ? isOn : events.includes(one))))
                  }
                >
                  <span className="mono">{type}</span>
                </Switch>
              ))}
            {problems["events"] !== undefined && <p className="Field-problem">Choose at least one.</p>}
          </div>
          <Field
            label="Purpose"
            value={description}
            onChange={setDescription}
            problem={said(problems["description"])}
          />
        </>
      )}
    </FormDialog>
  )
}
