/** The filters of the list of calls. Each choice is in the URL. */
import { ChooseAgent } from "../../choose/ChooseAgent.tsx"
import { ChooseCampaign } from "../../choose/ChooseCampaign.tsx"
import { ChooseDisposition } from "../../choose/ChooseDisposition.tsx"
import { useDispositions } from "../../data/Dispositions.ts"
import { any, useSetFilter } from "../../data/Filters.ts"
import { type Outcome, outcomes, outcomeWords } from "../../figures/Outcomes.ts"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { momentsOfDays } from "../new-campaign/LocalTime.ts"
import { DayRange } from "./DayRange.tsx"

interface Search {
  readonly agent_id?: string | undefined
  readonly campaign_id?: string | undefined
  readonly disposition?: string | undefined
  readonly direction?: "outbound" | "inbound" | "web" | undefined
  readonly from?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly status?: "queued" | "ringing" | "in_progress" | "completed" | "failed" | undefined
  readonly to?: string | undefined
  readonly q?: string | undefined
}

/** The filter as the server takes it. */
export type Asked = { readonly [Name in Exclude<keyof Search, "q">]?: NonNullable<Search[Name]> } & {
  readonly search?: string
}

export const askedOf = (search: Search, zone: string): Asked => {
  const { agent_id, campaign_id, direction, disposition, outcome, q, status } = search
  return {
    ...(agent_id !== undefined && { agent_id }),
    ...(campaign_id !== undefined && { campaign_id }),
    ...(direction !== undefined && { direction }),
    ...(outcome !== undefined && { outcome }),
    ...(disposition !== undefined && { disposition }),
    ...(status !== undefined && { status }),
    ...(q !== undefined && { search: q }),
    ...momentsOfDays(search, zone),
  }
}

const statuses = [
  { value: undefined, word: "All" },
  { value: "ringing", word: "Ringing" },
  { value: "in_progress", word: "In a call" },
  { value: "completed", word: "Completed" },
  { value: "failed", word: "Failed" },
]

const directions = [
  any,
  { id: "outbound", word: "outbound" },
  { id: "inbound", word: "inbound" },
  { id: "web", word: "from a page" },
]

export interface CallFiltersProps {
  readonly search: Search
  /** False on the page of one campaign's calls. */
  readonly hasCampaigns?: boolean
  /** Whose dispositions can be chosen while no agent is. */
  readonly agent?: string
}

export const CallFilters = ({ agent, hasCampaigns = false, search }: CallFiltersProps) => {
  const set = useSetFilter()
  const dispositions = useDispositions(search.agent_id ?? agent)
  return (
    <div className="Calls-filters">
      <div className="Calls-find">
        <SearchField label="Find a number, name or words" />
        <FilterChips label="Status" parameter="status" chips={statuses} />
      </div>
      <div className="Calls-more">
        <SelectMenu
          label="Outcome"
          chosen={search.outcome ?? any.id}
          choices={[any, ...outcomes.map((id) => ({ id, word: outcomeWords[id] }))]}
          onChoose={set("outcome")}
        />
        <ChooseDisposition dispositions={dispositions} chosen={search.disposition} onChoose={set("disposition")} />
        <ChooseAgent label="Agent" none={any} chosen={search.agent_id ?? any.id} onChoose={set("agent_id")} />
        {hasCampaigns && (
          <ChooseCampaign
            label="Campaign"
            none={any}
            chosen={search.campaign_id ?? any.id}
            onChoose={set("campaign_id")}
          />
        )}
        {hasCampaigns && (
          <SelectMenu
            label="Direction"
            chosen={search.direction ?? any.id}
            choices={directions}
            onChoose={set("direction")}
          />
        )}
        <DayRange from={search.from} to={search.to} onChange={set} />
      </div>
    </div>
  )
}
