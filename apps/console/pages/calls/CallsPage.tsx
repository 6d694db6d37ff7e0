/** The account's calls, newest first. Calls in progress are marked; filters and page are in the URL. */
import { useSearch } from "@tanstack/react-router"
import { useAccountPulse, useZone } from "../../data/AccountPulse.ts"
import { Page } from "../../shell/Page.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { counted } from "../../words/Figures.ts"
import { askedOf, CallFilters } from "./CallFilters.tsx"
import { CallList } from "./CallList.tsx"
import { ExportCalls } from "./ExportCalls.tsx"

export const CallsPage = () => {
  const zone = useZone()
  const { page = 1, ...filters } = useSearch({ from: "/$account/calls" })
  const asked = askedOf(filters, zone)
  const { slots } = useAccountPulse() ?? {}
  const live = slots === undefined ? 0 : slots.campaign + slots.other
  const title = slots === undefined ? "Calls" : live === 0 ? "No calls in progress" : `${counted(live, "call")} live`
  return (
    <Page title={title} name="Calls" acts={<ExportCalls asked={asked} />}>
      <CallFilters search={filters} hasCampaigns />
      <CallList
        key={JSON.stringify(asked)}
        asked={asked}
        page={page}
        none={
          asked.campaign_id === undefined ? (
            <Empty title="No calls yet">
              Calls of campaigns, calls to your numbers and conversations on your pages appear here as soon as they
              start.
            </Empty>
          ) : (
            <Empty
              title="No calls in this campaign"
              acts={
                <LinkButton to="." search={{}}>
                  Clear filters
                </LinkButton>
              }
            >
              Each attempt to reach a contact is a call. It appears here when it starts ringing.
            </Empty>
          )
        }
      />
    </Page>
  )
}
