/** What the tabs of one campaign have in common: its name and state, its settings in one line, its acts. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Outlet, useParams } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { beat, useZone } from "../../data/AccountPulse.ts"
import { useAgentNames } from "../../data/Campaigns.ts"
import { useEveryNumber } from "../../data/Choices.ts"
import { useRpc } from "../../data/Rpc.ts"
import { StateSign, stateOf } from "../../figures/StateSign.tsx"
import { useMinute } from "../../shell/Clock.ts"
import { type Crumb, Page } from "../../shell/Page.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { TabLinks } from "../../ui/TabLinks.tsx"
import { count } from "../../words/Figures.ts"
import { dialled } from "../../words/PhoneNumbers.ts"
import { CampaignActs } from "./CampaignActs.tsx"
import { CurrentCampaign } from "./CurrentCampaign.ts"
import { settingsLine } from "./SettingsLine.ts"
import "./CampaignFrame.css"

export const CampaignFrame = () => {
  const { account, id } = useParams({ from: "/$account/campaigns/$id" })
  const { name: accountName } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useMinute()
  const agents = useAgentNames()
  const numbers = useEveryNumber()
  const { data, error, refetch } = useQuery(
    rpc.campaigns.get.queryOptions(
      { id },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => (state.data?.ended_at === null ? beat : false),
      },
    ),
  )
  const { data: calls } = useQuery(
    rpc.calls.list.queryOptions(
      { campaign_id: id, page_size: 1 },
      { refetchInterval: beat * 5, enabled: data !== undefined },
    ),
  )
  const crumbs: ReadonlyArray<Crumb> = [{ word: "Campaigns", to: "/$account/campaigns", params: { account } }]
  if (data === undefined) {
    return (
      <Page name="Campaign" title="Campaign" crumbs={crumbs}>
        {error === null ? (
          <Loading label="Campaign" />
        ) : (
          <Failed
            what="The campaign"
            error={error}
            onRetry={refetch}
            notFound={`There is no campaign with this id in ${accountName}. It may belong to another account.`}
          />
        )}
      </Page>
    )
  }
  const number = numbers?.find((candidate) => candidate.id === data.phone_number_id)?.number
  const params = { account, id }
  return (
    <CurrentCampaign value={data}>
      <Page
        name={data.name}
        title={data.name}
        crumbs={crumbs}
        beside={<StateSign of={stateOf(data)} />}
        second={settingsLine(data, { agent: agents.get(data.agent_id), from: number && dialled(number), now, zone })}
        acts={<CampaignActs campaign={data} />}
      >
        <ReadOnlyNote />
        <TabLinks
          label="Parts of this campaign"
          tabs={[
            { to: "/$account/campaigns/$id", params, word: "Live" },
            { to: "/$account/campaigns/$id/contacts", params, word: "Contacts", aside: count(data.counts.total) },
            {
              to: "/$account/campaigns/$id/calls",
              params,
              word: "Calls",
              ...(calls !== undefined && { aside: count(calls.total) }),
            },
            { to: "/$account/campaigns/$id/settings", params, word: "Settings" },
          ]}
        />
        <Outlet />
      </Page>
    </CurrentCampaign>
  )
}
