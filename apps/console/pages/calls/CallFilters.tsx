/** What the list of calls is narrowed to: each choice stands in the URL. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useZone } from "../../data/AccountPulse.ts"
import { useEveryAgent } from "../../data/Choices.ts"
import { useRpc } from "../../data/Rpc.ts"
import { type Outcome, outcomes, outcomeWords } from "../../figures/Outcomes.ts"
import { Field } from "../../ui/Field.tsx"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { momentIn } from "../new-campaign/LocalTime.ts"

interface Search {
  readonly agent_id?: string | undefined
  readonly campaign_id?: string | undefined
  readonly direction?: "outbound" | "inbound" | "web" | undefined
  readonly from?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly status?: "queued" | "ringing" | "in_progress" | "completed" | "failed" | undefined
  readonly to?: string | undefined
}

/** What the server is asked for. */
export type Asked = { readonly [Name in keyof Search]?: NonNullable<Search[Name]> }

const day = 86_400_000

/** Days in the URL, both included, as the moments at which they begin and end in the account's zone. */
export const askedOf = (search: Search, zone: string): Asked => {
  const first = search.from === undefined ? undefined : momentIn(`${search.from}T00:00`, zone)
  const last = search.to === undefined ? Number.NaN : Date.parse(search.to)
  const after = Number.isNaN(last)
    ? undefined
    : momentIn(`${new Date(last + day).toISOString().slice(0, 10)}T00:00`, zone)
  const { agent_id, campaign_id, direction, outcome, status } = search
  return {
    ...(agent_id !== undefined && { agent_id }),
    ...(campaign_id !== undefined && { campaign_id }),
    ...(direction !== undefined && { direction }),
    ...(outcome !== undefined && { outcome }),
    ...(status !== undefined && { status }),
    ...(first !== undefined && { from: first.toISOString() }),
    ...(after !== undefined && { to: after.toISOString() }),
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
  { id: "any", word: "any" },
  { id: "outbound", word: "outbound" },
  { id: "inbound", word: "inbound" },
  { id: "web", word: "from a page" },
]

export interface CallFiltersProps {
  readonly search: Search
  /** Not where the calls are one campaign's. */
  readonly hasCampaigns?: boolean
}

export const CallFilters = ({ hasCampaigns = false, search }: CallFiltersProps) => {
  const rpc = useRpc()
  const zone = useZone()
  const navigate = useNavigate()
  const kept = { staleTime: 60_000 }
  const agents = useEveryAgent()
  const campaigns = useQuery(rpc.campaigns.list.queryOptions({ page_size: 100 }, { ...kept, enabled: hasCampaigns }))
  const set = (name: keyof Search) => (value: string) =>
    void navigate({
      to: ".",
      search: (before) => ({
        ...before,
        [name]: value === "any" || value === "" ? undefined : value,
        page: undefined,
      }),
      replace: name === "from" || name === "to",
    })
  const choices = (items: ReadonlyArray<{ readonly id: string; readonly name: string }> | undefined) => [
    { id: "any", word: "any" },
    ...(items ?? []).map(({ id, name }) => ({ id, word: name })),
  ]
  return (
    <div className="Calls-filters">
      <FilterChips label="Status" parameter="status" chips={statuses} />
      <div className="Calls-more">
        <SelectMenu
          label="Outcome"
          chosen={search.outcome ?? "any"}
          choices={[{ id: "any", word: "any" }, ...outcomes.map((id) => ({ id, word: outcomeWords[id] }))]}
          onChoose={set("outcome")}
        />
        <SelectMenu
          label="Agent"
          chosen={search.agent_id ?? "any"}
          choices={choices(agents)}
          onChoose={set("agent_id")}
        />
        {hasCampaigns && (
          <SelectMenu
            label="Campaign"
            chosen={search.campaign_id ?? "any"}
            choices={choices(campaigns.data?.items)}
            onChoose={set("campaign_id")}
          />
        )}
        {hasCampaigns && (
          <SelectMenu
            label="Direction"
            chosen={search.direction ?? "any"}
            choices={directions}
            onChoose={set("direction")}
          />
        )}
        <span className="Calls-day" title={`Days in ${zone}`}>
          <Field label="From" type="date" value={search.from ?? ""} onChange={set("from")} />
        </span>
        <span className="Calls-day" title={`Days in ${zone}`}>
          <Field label="to" type="date" value={search.to ?? ""} onChange={set("to")} />
        </span>
      </div>
    </div>
  )
}
