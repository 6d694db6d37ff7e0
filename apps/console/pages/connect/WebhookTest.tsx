/** Sends a signed test message, which is not an event, to a webhook, and shows the response. */
import { useMutation } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"
import { TrialDialog } from "../../ui/TrialDialog.tsx"
import { Verdict } from "../../ui/Verdict.tsx"
import { count } from "../../words/Figures.ts"
import { shortUrl, type Webhook } from "./WebhookWords.ts"

export interface WebhookTestProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

export const WebhookTest = ({ onClose, webhook: { id, url } }: WebhookTestProps) => {
  const rpc = useRpc()
  const trial = useMutation(rpc.webhooks.test.mutationOptions())
  const { data, error } = trial
  return (
    <TrialDialog
      title={`Test of ${shortUrl(url)}`}
      about={
        <p className="quiet">
          One message of the type <span className="mono">webhook.test</span>, signed as every delivery. A test is not an
          event; it isn’t retried.
        </p>
      }
      trial={trial}
      id={id}
      again="Send another"
      onClose={onClose}
    >
      {data === undefined && error === null && <p className="quiet">Waiting for the receiver for up to 15 s…</p>}
      {data !== undefined && (
        <Verdict isGood={data.error === null}>
          {data.error === null
            ? `It answered ${data.status_code} after ${count(data.duration_ms)} ms.`
            : `${data.error}, after ${count(data.duration_ms)} ms.`}
        </Verdict>
      )}
      {data?.response_excerpt && <pre className="mono Webhooks-code">{data.response_excerpt}</pre>}
    </TrialDialog>
  )
}
