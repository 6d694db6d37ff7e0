/** One webhook's deliveries, newest first, with the chosen one beside them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { eventTypes } from "../../../../src/domain/EventTypes.ts"
import { beat, useWaitingDeliveries } from "../../data/AccountPulse.ts"
import { any, useSetFilter } from "../../data/Filters.ts"
import { useRpc } from "../../data/Rpc.ts"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { DeliveryInspector } from "./DeliveryInspector.tsx"
import { WebhookFrame } from "./WebhookFrame.tsx"

const from = "/$account/webhooks/{-$id}"
const pageSize = 25
const statuses = { waiting: "pending", given_up: "failed", delivered: "succeeded" } as const

export const OneWebhook = ({ id }: { readonly id: string }) => {
  const rpc = useRpc()
  const setFilter = useSetFilter()
  const { delivery, event, page = 1, status } = useSearch({ from })
  const type = eventTypes.find((one) => one === event)
  const one = useQuery(rpc.webhooks.get.queryOptions({ id }, { refetchInterval: beat * 2 }))
  const waiting = useWaitingDeliveries({ id, pending_deliveries: one.data?.pending_deliveries ?? 0 })
  const deliveries = useQuery(
    rpc.webhooks.deliveries.queryOptions(
      {
        webhook_id: id,
        page: page - 1,
        page_size: pageSize,
        ...(status !== undefined && { status: statuses[status] }),
        ...(type !== undefined && { type }),
      },
      { placeholderData: keepPreviousData, refetchInterval: beat * 2 },
    ),
  )
  const items = deliveries.data?.items ?? []
  const chosen = items.find((item) => item.id === delivery) ?? items[0]
  const givenUp = useQuery(
    rpc.webhooks.deliveries.queryOptions(
      { webhook_id: id, status: "failed", page_size: 1 },
      { refetchInterval: beat * 5 },
    ),
  )
  if (one.data === undefined) return <Awaiting of="webhook" asked={one} />
  return (
    <WebhookFrame webhook={one.data}>
      <div className="Webhooks-filters">
        <FilterChips
          label="Deliveries"
          parameter="status"
          chips={[
            { value: undefined, word: "All" },
            { value: "waiting", word: "Waiting", count: waiting },
            { value: "given_up", word: "Given up", count: givenUp.data?.total },
            { value: "delivered", word: "Delivered" },
          ]}
        />
        <SelectMenu
          label="Event"
          chosen={type ?? any.id}
          choices={[any, ...eventTypes.map((word) => ({ id: word, word }))]}
          onChoose={setFilter("event")}
        />
      </div>
      <Awaiting of="deliveries" asked={deliveries} />
      {deliveries.data?.items.length === 0 && (
        <div className="Table-frame">
          {status === undefined && type === undefined ? (
            <Empty title="No deliveries yet">Deliveries appear here.</Empty>
          ) : (
            <Empty title="No delivery fits these filters" acts={<ClearFilters />}>
              Deliveries are kept as long as their events.
            </Empty>
          )}
        </div>
      )}
      {deliveries.data !== undefined && chosen !== undefined && (
        <div className="Webhooks-columns">
          <div>
            <Deliveries items={items} chosen={chosen.id} />
            <Pager page={page} pageSize={pageSize} total={deliveries.data.total} of="deliveries" />
          </div>
          <DeliveryInspector key={chosen.id} delivery={chosen} />
        </div>
      )}
    </WebhookFrame>
  )
}
