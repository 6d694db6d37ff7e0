/** A webhook tried by hand: what the receiver answers to one signed message that is no event. */
import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"
import { problemOf } from "../../data/Problem.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Verdict } from "../../ui/Verdict.tsx"
import { count } from "../../words/Figures.ts"
import { shortUrl, type Webhook } from "./WebhookWords.ts"

export interface WebhookTestProps {
  readonly webhook: Webhook
  readonly onClose: () => void
}

export const WebhookTest = ({ onClose, webhook: { id, url } }: WebhookTestProps) => {
  const rpc = useRpc()
  const { data, error, isPending, mutate } = useMutation(rpc.webhooks.test.mutationOptions())
  useEffect(() => mutate({ id }), [id, mutate])
  return (
    <Dialog title={`Test of ${shortUrl(url)}`} isOpen onClose={onClose}>
      <p className="quiet">
        One message of the type <span className="mono">webhook.test</span>, signed as every delivery. A test is not an
        event; it isn’t retried.
      </p>
      <div aria-live="polite">
        {data === undefined && error === null && <p className="quiet">Waiting for the receiver for up to 15 s…</p>}
        {data !== undefined && (
          <Verdict isGood={data.error === null}>
            {data.error === null
              ? `It answered ${data.status_code} after ${count(data.duration_ms)} ms.`
              : `${data.error}, after ${count(data.duration_ms)} ms.`}
          </Verdict>
        )}
        {data?.response_excerpt && <pre className="mono Webhooks-code">{data.response_excerpt}</pre>}
        {error !== null && <ProblemLine problem={problemOf(error)} />}
      </div>
      <DialogActs>
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
        <Button isDisabled={isPending} onPress={() => mutate({ id })}>
          Send another
        </Button>
      </DialogActs>
    </Dialog>
  )
}
