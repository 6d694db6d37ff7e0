/** Everyone whom the account has promised to call back, in all campaigns. Those who are due now come first. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { ChooseCampaign } from "../../choose/ChooseCampaign.tsx"
import { beat, useZone } from "../../data/AccountPulse.ts"
import { any, useSetFilter } from "../../data/Filters.ts"
import { useRpc } from "../../data/Rpc.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Page } from "../../shell/Page.tsx"
import { ClearFilters } from "../../ui/ClearFilters.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { counted } from "../../words/Figures.ts"
import { DayRange } from "../calls/DayRange.tsx"
import { momentsOfDays } from "../new-campaign/LocalTime.ts"
import { CallbackTable } from "./CallbackTable.tsx"
import "./CallbacksPage.css"

const pageSize = 50

export const CallbacksPage = () => {
  const { page = 1, ...search } = useSearch({ from: "/$account/callbacks" })
  const rpc = useRpc()
  const set = useSetFilter()
  const asked = {
    ...(search.campaign_id !== undefined && { campaign_id: search.campaign_id }),
    ...momentsOfDays(search, useZone()),
  }
  const { data, error, failureCount, refetch } = useQuery(
    rpc.callbacks.list.queryOptions(
      { ...asked, page: page - 1, page_size: pageSize },
      { placeholderData: keepPreviousData, refetchInterval: beat * 2 },
    ),
  )
  useLiveSign(data === undefined ? undefined : error === null && failureCount === 0)
  return (
    <Page title={data === undefined ? "Callbacks" : `${counted(data.total, "callback")} promised`} name="Callbacks">
      <div className="CallbacksPage-filters">
        <ChooseCampaign
          label="Campaign"
          none={any}
          chosen={search.campaign_id ?? any.id}
          onChoose={set("campaign_id")}
        />
        <DayRange from={search.from} to={search.to} onChange={set} />
      </div>
      {data !== undefined && data.items.length > 0 ? (
        <>
          <CallbackTable callbacks={data.items} />
          <Pager page={page} pageSize={pageSize} total={data.total} of="callbacks" />
        </>
      ) : (
        <div className="Table-frame">
          {data === undefined ? (
            error === null ? (
              <Loading label="Callbacks" />
            ) : (
              <Failed what="The callbacks" error={error} onRetry={refetch} />
            )
          ) : Object.keys(asked).length > 0 ? (
            <Empty title="No callback fits these filters" acts={<ClearFilters />}>
              Days are those of the account’s time zone.
            </Empty>
          ) : (
            <Empty title="No callbacks promised">
              A person appears here when they ask in a call to be called back, until their campaign dials them. A
              campaign permits callbacks in its settings.
            </Empty>
          )}
        </div>
      )}
    </Page>
  )
}
