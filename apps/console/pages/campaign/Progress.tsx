/** The campaign's progress: up to five figures, one bar in stack order, and six counts that add up to all contacts. */
import { useZone } from "../../data/AccountPulse.ts"
import type { CampaignView } from "../../data/LiveViews.ts"
import { countCalled, countDone } from "../../data/Tallies.ts"
import { OutcomeBar } from "../../figures/OutcomeBar.tsx"
import { useNow } from "../../shell/Clock.ts"
import { costsByPart } from "../../words/Costs.ts"
import { count, money, share } from "../../words/Figures.ts"
import { endWords, type Forecast, limitWords } from "../../words/Forecasts.ts"
import { duration, planned, secondsBetween } from "../../words/Times.ts"
import { inTime } from "../../words/Waiting.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "./Progress.css"

export interface ProgressProps {
  readonly campaign: OpenCampaign
  readonly view: CampaignView
}

export const Progress = ({ campaign, view: { campaign: viewed, snapshot, tally } }: ProgressProps) => {
  const { total } = tally
  /** True after an action while the view is still from before it. */
  const isBehind = viewed.updated_at !== campaign.updated_at
  const called = countCalled(tally)
  const reached = tally.outcomes["answered"] ?? 0
  const parts = [
    { word: "completed", value: tally.completed },
    { word: "failed", value: tally.failed },
    { word: "skipped", value: tally.skipped },
    { word: "in a call", value: tally.in_progress },
    { word: "waiting to be tried again", value: tally.to_be_retried },
    { word: "not called yet", value: tally.not_called },
  ]
  // Contacts skipped because the campaign was stopped do not count as done.
  const [part, word] = campaign.ended_at === null ? [countDone(tally), "done"] : [called, "called"]
  return (
    <section className="Progress" aria-label="Progress">
      <div className="Progress-figures">
        <Figure value={share(part, total)} unit={`${count(part)} of ${count(total)} ${word}`} />
        {called > 0 && <Figure value={share(reached, called)} unit="reached a person" />}
        {campaign.status === "running" && <Figure value={count(snapshot.calls_per_minute)} unit="calls a minute" />}
        <End campaign={campaign} forecast={snapshot.forecast} isBehind={isBehind} />
        {snapshot.spend !== undefined && (
          <Figure
            value={money(Number(snapshot.spend.spent), snapshot.spend.currency)}
            unit={`of ${money(Number(snapshot.spend.limit))} spent, ${money(Number(snapshot.spend.reserved))} reserved`}
          />
        )}
        {snapshot.spend === undefined && snapshot.cost.amount > 0 && (
          <Figure
            value={money(snapshot.cost.amount, snapshot.cost.currency)}
            unit={reached === 0 ? "" : `${money(snapshot.cost.amount / reached)} per person reached`}
          />
        )}
      </div>
      <Costs snapshot={snapshot} />
      <OutcomeBar parts={tally.outcomes} skipped={tally.skipped} total={total} size="panel" />
      <ul className="Progress-counts">
        {parts.map(({ value, word }) => (
          <li key={word}>
            <strong>{count(value)}</strong> {word}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the calls cost by part, and what counts as spent because a process was lost. */
const Costs = ({ snapshot: { cost, spend } }: { readonly snapshot: CampaignView["snapshot"] }) => {
  const byPart = costsByPart(cost)
  const written_off = Number(spend?.written_off ?? 0)
  if (byPart === "" && written_off === 0) return null
  return (
    <p className="second-line">
      {byPart !== "" && `Cost so far: ${byPart}. `}
      {written_off > 0 &&
        `${money(written_off, spend?.currency)} counts as spent for calls whose cost was lost when a process stopped: the most that they may have cost beyond what is recorded.`}
    </p>
  )
}

interface FigureProps {
  readonly value: string
  readonly unit: string
  /** True while a newer value is being computed. */
  readonly isOld?: boolean
}

const Figure = ({ isOld = false, unit, value }: FigureProps) => (
  <p className={isOld ? "Progress-old" : ""}>
    <span className="figure">{value}</span> <span className="unit">{unit}</span>
  </p>
)

interface EndProps {
  readonly campaign: OpenCampaign
  readonly forecast: Forecast | null
  readonly isBehind: boolean
}

const End = ({ campaign, forecast, isBehind }: EndProps) => {
  const zone = useZone()
  const now = useNow()
  const { ended_at, scheduled_at, started_at, status } = campaign
  if (ended_at !== null && started_at !== null) {
    return (
      <Figure value={duration(secondsBetween(new Date(started_at), new Date(ended_at)))} unit="from start to end" />
    )
  }
  if (status === "draft" && scheduled_at !== null) {
    const at = new Date(scheduled_at)
    return <Figure value={planned(at, now, zone)} unit={`starts automatically, ${inTime(at, now)}`} />
  }
  if ((status !== "running" && status !== "paused") || forecast === null || forecast.seconds === 0) return null
  const end = endWords(forecast, now, zone) ?? "not within a year"
  const unit = ["expected end", ...(status === "paused" ? ["if resumed now"] : []), limitWords(forecast, now, zone)]
  return <Figure value={end} unit={unit.filter((part) => part !== "").join(", ")} isOld={isBehind} />
}
