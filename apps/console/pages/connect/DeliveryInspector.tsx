/** One delivery: the response, the request and each attempt, and a button to send it again. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { JsonText } from "../../ui/JsonText.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count } from "../../words/Figures.ts"
import { exactClock, utc } from "../../words/Times.ts"
import { answerOf, type Delivery, toneOf } from "./WebhookWords.ts"

export const DeliveryInspector = ({ delivery }: { readonly delivery: Delivery }) => {
  const { event_id, id, last_duration_ms, last_error, last_status_code, response_excerpt, seq, webhook_id } = delivery
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const zone = useZone()
  const again = useMutation({
    mutationFn: () => client.webhooks.redeliver.mutate({ webhook_id, delivery_id: id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: rpc.webhooks.pathKey() })
      notice({ text: `No. ${count(seq)} was queued again.` })
    },
  })
  // Read the event from the log by its sequence number.
  const event = useQuery(
    rpc.events.list.queryOptions({ after: seq - 1, limit: 1 }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const sent = event.data?.items.find((item) => item.id === event_id)
  return (
    <Panel
      className="Webhooks-inspector"
      title={`No. ${count(seq)}`}
      aside={
        <Button size="row" isDisabled={again.isPending} onPress={() => again.mutate()}>
          Send again
        </Button>
      }
    >
      <PanelBody>
        {again.isError && <ProblemLine problem={problemOf(again.error)} />}
        <h3 className="second-line">Answer{last_duration_ms !== null && `, after ${count(last_duration_ms)} ms`}</h3>
        <pre className="mono Webhooks-code">
          {last_status_code === null
            ? (last_error ?? "None yet.")
            : `${last_status_code} ${response_excerpt ?? ""}`.trim()}
        </pre>
        <h3 className="second-line">The event that was sent</h3>
        <pre className="mono Webhooks-code">
          webhook-id: {event_id}
          {"\n\n"}
          {sent === undefined ? (
            event.isPending ? (
              "…"
            ) : (
              "The event log does not keep this event any more."
            )
          ) : (
            <JsonText value={sent} isLong />
          )}
        </pre>
        <h3 className="second-line">Attempts</h3>
        {delivery.attempt_log.length === 0 ? (
          <p className="quiet">None yet.</p>
        ) : (
          <ol>
            {delivery.attempt_log.map(({ at, error, number, status_code }) => (
              <li key={number} className="Webhooks-try" title={error ?? ""}>
                <time dateTime={at} title={utc(new Date(at))}>
                  {exactClock(new Date(at), zone)}
                </time>
                <Tag tone={toneOf(status_code, error)}>{answerOf(status_code, error)}</Tag>
              </li>
            ))}
          </ol>
        )}
      </PanelBody>
    </Panel>
  )
}
