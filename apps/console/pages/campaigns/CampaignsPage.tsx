/** The account's campaigns: filters with counts, then rows of two lines. */
import { useSearch } from "@tanstack/react-router"
import { useRef } from "react"
import { useAccount, useMayChange } from "../../data/Account.tsx"
import { useAgentNames } from "../../data/Campaigns.ts"
import { any, useSetFilter } from "../../data/Filters.ts"
import { useCampaignBoard } from "../../data/LiveViews.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { outcomes } from "../../figures/Outcomes.ts"
import { type CampaignState, StateSign } from "../../figures/StateSign.tsx"
import { useListKeys } from "../../shell/ListKeys.ts"
import { useLiveSign } from "../../shell/LiveState.ts"
import { Page } from "../../shell/Page.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { Key } from "../../ui/Key.tsx"
import { LinkButton } from "../../ui/LinkButton.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { ReadOnlyNote } from "../../ui/ReadOnlyNote.tsx"
import { SearchField } from "../../ui/SearchField.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { CampaignTable } from "./CampaignTable.tsx"
import { NewCampaignLink } from "./NewCampaignLink.tsx"
import { NoMatch } from "./NoMatch.tsx"
import "./CampaignsPage.css"

/** The states of campaigns that have not ended, in the order of the list. */
const open: ReadonlyArray<CampaignState> = ["running", "waiting", "scheduled", "paused", "draft"]

const pageSize = 50

export const CampaignsPage = () => {
  const { slug } = useAccount()
  const mayChange = useMayChange()
  const { agent, page = 1, q, status } = useSearch({ from: "/$account/campaigns" })
  const setFilter = useSetFilter()
  const agents = useAgentNames()
  const list = useRef<HTMLDivElement>(null)
  const {
    error,
    isConnected,
    retry,
    view: board,
  } = useCampaignBoard({
    page: page - 1,
    page_size: pageSize,
    order: "state",
    ...(status !== undefined && { state: status }),
    ...(agent !== undefined && { agent_id: agent }),
    ...(q !== undefined && { search: q }),
  })
  useLiveSign(isConnected)
  useListKeys(list)

  const counts = board?.pulse.campaigns ?? {}
  const ended = (counts["completed"] ?? 0) + (counts["failed"] ?? 0)
  const total = Object.values(counts).reduce((sum, some) => sum + some, 0)
  const chips = [
    { value: undefined, word: "All", count: total },
    ...open.map((state) => ({
      value: state,
      word: <StateSign of={state} />,
      count: counts[state] ?? 0,
    })),
    { value: "ended", word: "Ended", count: ended },
  ].filter(({ count, value }) => value === undefined || value === status || count > 0)

  const isFiltered = status !== undefined || agent !== undefined || q !== undefined

  return (
    <Page name="Campaigns" title="Campaigns" acts={mayChange && <NewCampaignLink />}>
      <ReadOnlyNote />
      <div className="Campaigns-filters">
        {board !== undefined && <FilterChips label="Status" parameter="status" chips={chips} />}
        <span className="Campaigns-more">
          <SelectMenu
            label="Agent"
            chosen={agent ?? any.id}
            choices={[any, ...[...agents].map(([id, word]) => ({ id, word }))]}
            onChoose={setFilter("agent")}
          />
          <SearchField label="Filter by name" />
        </span>
      </div>
      <div ref={list}>
        {board === undefined ? (
          <div className="Table-frame">
            {error === null ? (
              <Loading label="Campaigns" />
            ) : (
              <Failed what="The campaigns" error={error} onRetry={retry} />
            )}
          </div>
        ) : board.page.items.length > 0 ? (
          <CampaignTable board={board} agents={agents} />
        ) : (
          <div className="Table-frame">
            {isFiltered ? (
              <NoMatch status={status} agent={agent === undefined ? undefined : agents.get(agent)} typed={q} />
            ) : (
              <Empty
                title="No campaigns yet"
                acts={
                  mayChange && (
                    <>
                      <NewCampaignLink />
                      <LinkButton to="/$account/campaigns/new" params={{ account: slug }} search={{ from: "sample" }}>
                        Use the 200 sample contacts
                      </LinkButton>
                    </>
                  )
                }
                note="Sample contacts ring in the lab. No real person is called."
              >
                A campaign dials a contact list with one agent from one number. You need a CSV with a phone_number
                column.
              </Empty>
            )}
          </div>
        )}
      </div>
      <footer className="Campaigns-foot">
        <p className="Campaigns-legend" aria-hidden>
          {[...outcomes, "skipped" as const].map((outcome) => (
            <OutcomeWord key={outcome} of={outcome} />
          ))}
        </p>
        <Pager page={page} pageSize={pageSize} total={board?.page.total ?? 0} of="campaigns" />
        <p className="Campaigns-keys">
          <Key>J</Key>
          <Key>K</Key> move <Key>↵</Key> open
        </p>
      </footer>
    </Page>
  )
}
