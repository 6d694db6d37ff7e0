/** The frame of a campaign's tabs: name, state, actions, and its settings in one line. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Outlet, useParams } from "@tanstack/react-router"
import { useEffect } from "react"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import { useAgentNames } from "../../data/Campaigns.ts"
import { usePhoneNumber } from "../../data/PhoneNumber.ts"
import { type CampaignView, useCampaignView } from "../../data/LiveViews.ts"
import { useRpc } from "../../data/Rpc.ts"
import { StateSign, stateOf } from "../../figures/StateSign.tsx"
import { useMinute } from "../../shell/Clock.ts"
import { type Crumb, Page } from "../../shell/Page.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { TabLinks } from "../../ui/TabLinks.tsx"
import { count } from "../../words/Figures.ts"
import { CampaignActs } from "./CampaignActs.tsx"
import { CurrentCampaign, type OpenCampaign } from "./CurrentCampaign.ts"
import { settingsLine, useHours } from "./SettingsLine.ts"
import { WhyItEnded } from "./WhyItEnded.tsx"
import "./CampaignFrame.css"

export const CampaignFrame = () => {
  const { account, id } = useParams({ from: "/$account/campaigns/$id" })
  const { name: accountName } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const now = useMinute()
  const agents = useAgentNames()
  const live = useCampaignView(id)
  const { data, error, refetch } = useQuery(
    rpc.campaigns.get.queryOptions({ id }, { placeholderData: keepPreviousData }),
  )
  const number = usePhoneNumber(data?.phone_number_id)
  const hours = useHours(data ?? { calling_window: null })
  const changedAt = live.view?.campaign.updated_at
  const isBehind = data !== undefined && changedAt !== undefined && data.id === id && data.updated_at < changedAt
  useEffect(() => {
    if (isBehind) void refetch()
  }, [isBehind, refetch])
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
  const campaign = newest(data, live.view?.campaign)
  const params = { account, id }
  return (
    <CurrentCampaign value={{ campaign, live }}>
      <Page
        name={campaign.name}
        title={campaign.name}
        crumbs={crumbs}
        beside={<StateSign of={stateOf(campaign)} />}
        second={settingsLine(campaign, {
          agent: agents.get(campaign.agent_id),
          hours,
          now,
          number,
          zone,
        })}
        acts={<CampaignActs campaign={campaign} />}
      >
        <ReadOnlyNote />
        <WhyItEnded campaign={campaign} />
        <TabLinks
          label="Parts of this campaign"
          tabs={[
            { to: "/$account/campaigns/$id", params, word: "Live" },
            { to: "/$account/campaigns/$id/contacts", params, word: "Contacts", aside: count(campaign.counts.total) },
            {
              to: "/$account/campaigns/$id/calls",
              params,
              word: "Calls",
              ...(live.view !== undefined && { aside: count(live.view.snapshot.dialed) }),
            },
            { to: "/$account/campaigns/$id/settings", params, word: "Settings" },
          ]}
        />
        <Outlet />
      </Page>
    </CurrentCampaign>
  )
}

/**
 * The campaign of the live view, so that state and figures agree. Right after an action, the campaign as the action
 * returned it, which is newer.
 */
const newest = (asked: OpenCampaign, viewed: CampaignView["campaign"] | undefined): OpenCampaign =>
  viewed === undefined || viewed.id !== asked.id || viewed.updated_at < asked.updated_at
    ? asked
    : { ...asked, ...viewed }
