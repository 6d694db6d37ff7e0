/** The calls of one campaign, newest first, with the filters of the account's list. */
import { useSearch } from "@tanstack/react-router"
import { useZone } from "../../data/AccountPulse.ts"
import { Empty } from "../../ui/Empty.tsx"
import { askedOf, CallFilters } from "../calls/CallFilters.tsx"
import { CallList } from "../calls/CallList.tsx"
import { useCampaign } from "./CurrentCampaign.ts"
import "./CampaignCallsPage.css"

export const CampaignCallsPage = () => {
  const campaign = useCampaign()
  const zone = useZone()
  const { page = 1, ...filters } = useSearch({ from: "/$account/campaigns/$id/calls" })
  const asked = { ...askedOf(filters, zone), campaign_id: campaign.id }
  return (
    <div className="CampaignCalls">
      <CallFilters search={filters} agent={campaign.agent_id} />
      <CallList
        key={JSON.stringify(asked)}
        asked={asked}
        page={page}
        none={
          <Empty title="No call yet">
            Each attempt at a contact is a call. It appears here when it begins to ring.
          </Empty>
        }
      />
    </div>
  )
}
