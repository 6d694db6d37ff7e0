/** A webhook as a form: its address, what it is told of. */
import { useState } from "react"
import { NewWebhook, WebhookChange } from "../../../../src/rpc/inputs/Webhooks.ts"
import { said } from "../../data/Checks.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Field } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { eventTypes, shortUrl, type Webhook } from "./WebhookWords.ts"

export interface WebhookFormProps {
  /** Left out, a new one is made. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  readonly onSaved: (webhook: Webhook) => Promise<void>
}

export const WebhookForm = ({ onClose, onSaved, webhook }: WebhookFormProps) => {
  const client = useRpcClient()
  const [url, setUrl] = useState(webhook?.url ?? "https://")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [events, setEvents] = useState<Webhook["events"]>(webhook?.events ?? ["*"])
  const isAll = events.includes("*")
  const value = { url, description, events: [...events] }
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
