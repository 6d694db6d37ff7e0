/** What is wrong with a webhook, what will happen, and one action. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { beat, useWaitingDeliveries, useZone } from "../../data/AccountPulse.ts"
import { problemOf } from "../../data/Problem.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { useNow } from "../../shell/Clock.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { count, counted } from "../../words/Figures.ts"
import { clock } from "../../words/Times.ts"
import type { Webhook } from "./WebhookWords.ts"

export interface TroubleProps {
  readonly first: string
  readonly second: string
  readonly act?: ReactNode
}

export const Trouble = ({ act, first, second }: TroubleProps) => (
  <div className="Webhooks-trouble" role="status">
    <IconAlertTriangle aria-hidden />
    <div className="Webhooks-said">
      <p className="panel-title">{first}</p>
      <p className="second-line">{second}</p>
    </div>
    {act}
  </div>
)

/** A pending delivery counts as trouble once an attempt has failed. */
export const Waiting = ({ webhook }: { readonly webhook: Webhook }) => {
  const { id } = webhook
  const waiting = useWaitingDeliveries(webhook)
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const zone = useZone()
  const now = useNow()
  const { data } = useQuery(
    rpc.webhooks.deliveries.queryOptions(
      { webhook_id: id, status: "pending", page_size: 25 },
      { refetchInterval: beat * 2 },
    ),
  )
  const sendAll = useMutation({
    mutationFn: () => client.webhooks.redeliverAll.mutate({ webhook_id: id }),
    onSuccess: async ({ deliveries }) => {
      await queries.invalidateQueries({ queryKey: rpc.webhooks.pathKey() })
      notice({
        text: `${counted(deliveries, "delivery is", "deliveries are")} being tried again now.`,
      })
    },
  })
  const tried = data?.items.find(({ last_error }) => last_error !== null)
  if (tried === undefined) return null
  const next = tried.next_attempt_at === null ? undefined : new Date(tried.next_attempt_at)
  const soon = next === undefined || next < now ? "in a moment" : `at ${clock(next, zone)}`
  const answer =
    tried.last_status_code === null
      ? "The receiver does not answer."
      : `The receiver answers ${tried.last_status_code}.`
  return (
    <>
      <Trouble
        first={`${counted(waiting, "delivery waits", "deliveries wait")}. ${answer}`}
        second={`Tried again ${soon}, then with growing gaps for 24 hours. After that they are given up, and can still be sent by hand.`}
        act={
          <Button isDisabled={sendAll.isPending} onPress={() => sendAll.mutate()}>
            {waiting === 1 ? "Send it now" : `Send all ${count(waiting)} now`}
          </Button>
        }
      />
      {sendAll.isError && <ProblemLine problem={problemOf(sendAll.error)} />}
    </>
  )
}
