/**
 * Webhooks: the addresses to which events are sent. Shows the chosen one with its deliveries, and one delivery with its
 * attempts.
 */
import { IconAlertTriangle } from "@tabler/icons-react"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useAccount, useMayManage } from "../../data/Account.tsx"
import { beat, type Outputs, useRefusedDeliveries } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { PauseBars } from "../../figures/StateSign.tsx"
import { SideListPage } from "../../shell/SideListPage.tsx"
import { OwnersOnly } from "../../ui/OwnersOnly.tsx"
import { count } from "../../words/Figures.ts"
import { NewWebhook } from "./NewWebhook.tsx"
import { OneWebhook } from "./OneWebhook.tsx"
import { eventsWord, shortUrl } from "./WebhookWords.ts"
import "./Webhooks.css"

type Webhook = Outputs["webhooks"]["list"]["items"][number]

const from = "/$account/webhooks/{-$id}"

export const WebhooksPage = () => {
  const { slug } = useAccount()
  const mayManage = useMayManage()
  const rpc = useRpc()
  const { id } = useParams({ from })
  // The server allows an account 100 webhooks, so this one page is the whole list.
  const list = useQuery(
    rpc.webhooks.list.queryOptions(
      { page_size: 100 },
      { enabled: mayManage, placeholderData: keepPreviousData, refetchInterval: beat * 5 },
    ),
  )
  if (!mayManage) return <OwnersOnly what="Webhooks" />
  const chosen = list.data?.items.find((one) => id === undefined || one.id === id)
  return (
    <SideListPage
      title="Webhooks"
      one="webhook"
      bare={{ to: from, params: { account: slug, id: undefined } }}
      list={list}
      entries={(list.data?.items ?? []).map((webhook) => ({
        id: webhook.id,
        to: from,
        params: { account: slug, id: webhook.id },
        name: shortUrl(webhook.url),
        state: <State of={webhook} />,
        aside: eventsWord(webhook.events),
      }))}
      chosen={chosen?.id}
      opened={id === undefined || chosen === undefined ? id : shortUrl(chosen.url)}
      mayAdd
      dialog={NewWebhook}
      about="A webhook sends signed events to your server when calls, contacts and campaigns start and end, and retries until they are accepted."
      note="Deliveries are retried for 24 hours. Every event can also be read in order from the event log."
    >
      {chosen !== undefined && <OneWebhook key={chosen.id} id={chosen.id} />}
      {list.data !== undefined && id !== undefined && chosen === undefined && (
        <p className="quiet">There is no webhook with this id in this account.</p>
      )}
    </SideListPage>
  )
}

const State = ({ of: { disabled_reason, enabled, id } }: { readonly of: Webhook }) => {
  const waiting = useRefusedDeliveries(id)
  if (disabled_reason === "gone") {
    return (
      <span className="Webhooks-state Webhooks-bad">
        <IconAlertTriangle aria-hidden /> Answered 410, off
      </span>
    )
  }
  if (!enabled) {
    return (
      <span className="Webhooks-state">
        <PauseBars /> Off
      </span>
    )
  }
  if (waiting > 0) {
    return (
      <span className="Webhooks-state Webhooks-bad">
        <IconAlertTriangle aria-hidden /> {count(waiting)} waiting
      </span>
    )
  }
  return (
    <span className="Webhooks-state Webhooks-good">
      <span className="Webhooks-dot" aria-hidden /> Delivering
    </span>
  )
}
