/** The running campaigns: progress of their contacts, why they wait, slots, pace and end. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useAccountPulse, useZone } from "../../data/AccountPulse.ts"
import type { AccountView } from "../../data/LiveViews.ts"
import { countDone, talliesById, type Tally } from "../../data/Tallies.ts"
import { OutcomeBar } from "../../figures/OutcomeBar.tsx"
import { StateSign } from "../../figures/StateSign.tsx"
import { useNow } from "../../shell/Clock.ts"
import { Panel } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import { endWords } from "../../words/Forecasts.ts"
import { whyItWaits } from "../../words/Waiting.ts"
import { NextScheduled } from "./NextScheduled.tsx"
import "./Running.css"

type LiveCampaign = AccountView["running"][number]

export interface RunningProps {
  readonly campaigns: AccountView["running"]
  readonly tallies: AccountView["tallies"]
}

export const Running = ({ campaigns, tallies }: RunningProps) => {
  const byId = talliesById(tallies)
  return (
    <Panel title="Running" aside={<NextScheduled />}>
      {campaigns.length === 0 && <p className="Running-none">No campaign is running.</p>}
      {campaigns.map((campaign) => (
        <RunningCampaign key={campaign.campaign_id} campaign={campaign} tally={byId.get(campaign.campaign_id)} />
      ))}
    </Panel>
  )
}

interface RunningCampaignProps {
  readonly campaign: LiveCampaign
  readonly tally: Tally | undefined
}

const RunningCampaign = ({ campaign, tally }: RunningCampaignProps) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const { calls_per_minute, counts, forecast, name, waiting } = campaign
  const end = endWords(forecast, now, zone)
  const why = whyItWaits(campaign, now, zone, useAccountPulse()?.minute_frees_at)
  const rest =
    campaign.waiting_for === null && tally !== undefined
      ? ` ${count(tally.not_called)} not called yet, ${count(tally.to_be_retried)} waiting to be tried again.`
      : ` ${why.second}`
  return (
    <article className="Running-campaign">
      <header className="Running-line">
        <span className="Running-name">
          <Link
            to="/$account/campaigns/$id"
            params={{ account: slug, id: campaign.campaign_id }}
            className="Running-link"
          >
            {name}
          </Link>
          <StateSign of="running" />
        </span>
        <span className="second-line">
          <strong className="Running-figure">{count(countDone(counts))}</strong> of {count(counts.total)} done
        </span>
      </header>
      <OutcomeBar
        parts={tally?.outcomes ?? {}}
        skipped={tally?.skipped ?? counts.skipped}
        total={tally?.total ?? counts.total}
      />
      <p className="Running-line second-line">
        <span>
          {why.first}
          {rest}
        </span>
        <span className="Running-pace">
          {waiting.slots.used} of {waiting.slots.limit} slots · {count(calls_per_minute)} calls/min
          {end !== undefined && ` · expected end ${end}`}
        </span>
      </p>
    </article>
  )
}
