/** Campaigns as rows of two lines: name and agent, state and reason, progress of the contacts, slots, pace, time. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import type { CampaignBoard } from "../../data/LiveViews.ts"
import { countCalled, countDone, talliesById } from "../../data/Tallies.ts"
import { OutcomeBar } from "../../figures/OutcomeBar.tsx"
import { StateSign, stateOf } from "../../figures/StateSign.tsx"
import { useNow } from "../../shell/Clock.ts"
import { Columns } from "../../ui/Columns.tsx"
import { count } from "../../words/Figures.ts"
import { CampaignMenu } from "./CampaignMenu.tsx"
import { type LiveFigures, stateLine, whenWords } from "./CampaignWords.ts"
import "../../ui/Table.css"
import "./CampaignTable.css"

const agentOf = (name: string | undefined, version: number | null): string =>
  name === undefined ? "Agent removed" : version === null ? name : `${name} · v${version}`

export interface CampaignTableProps {
  readonly board: CampaignBoard
  readonly agents: ReadonlyMap<string, string>
}

const columns = [
  { word: "Campaign" },
  { word: "Status" },
  { word: "Contacts by outcome", isWide: true },
  { word: "Done", isFigure: true },
  { word: "Slots", isFigure: true, isWide: true, className: "CampaignTable-slots" },
  { word: "A min", isFigure: true, isWide: true, className: "CampaignTable-pace" },
  { word: "When", isFigure: true },
  { word: "Actions", isUnseen: true },
]

export const CampaignTable = ({ agents, board }: CampaignTableProps) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const { left } = board.pulse.slots
  const tallies = talliesById(board.tallies)
  const live = new Map(board.running.map((figures) => [figures.campaign_id as string, figures]))
  return (
    <div className="Table-frame">
      <table className="Table Table-tall CampaignTable" aria-label="Campaigns">
        <Columns columns={columns} />
        <tbody>
          {board.page.items.map((campaign) => {
            const tally = tallies.get(campaign.id)
            const figures: LiveFigures | undefined = live.get(campaign.id)
            const state = stateOf(campaign)
            const isOver = campaign.ended_at !== null
            return (
              <tr key={campaign.id} className="Table-row">
                <td className="CampaignTable-name">
                  <Link
                    to="/$account/campaigns/$id"
                    params={{ account: slug, id: campaign.id }}
                    className="Table-link"
                    id={`campaign-${campaign.id}`}
                  >
                    {campaign.name}
                  </Link>
                  <span className="Table-second">{agentOf(agents.get(campaign.agent_id), campaign.agent_version)}</span>
                </td>
                <td className="CampaignTable-state">
                  <StateSign of={state} />
                  <span className="Table-second">{stateLine(campaign, figures, left, now, zone)}</span>
                </td>
                <td className="Table-wide CampaignTable-bar">
                  <OutcomeBar
                    parts={tally?.outcomes ?? {}}
                    skipped={tally?.skipped ?? campaign.counts.skipped}
                    total={tally?.total ?? campaign.counts.total}
                  />
                </td>
                <td className="Table-figure CampaignTable-many quiet">
                  <strong className="CampaignTable-done">
                    {count((isOver ? countCalled : countDone)(campaign.counts))}
                  </strong>{" "}
                  of {count(campaign.counts.total)}
                </td>
                <td className="Table-figure Table-wide CampaignTable-slots quiet">
                  {figures === undefined ? "–" : `${figures.active_calls} / ${campaign.max_concurrent_calls}`}
                </td>
                <td className="Table-figure Table-wide CampaignTable-pace quiet">{figures?.calls_per_minute ?? "–"}</td>
                <td className="Table-figure CampaignTable-when second-line">
                  {whenWords(campaign, figures, now, zone)}
                </td>
                <td className="Table-figure CampaignTable-menu">
                  <span className="Table-act">
                    <CampaignMenu campaign={campaign} />
                  </span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
