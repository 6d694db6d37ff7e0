/** How far it is: five figures, one bar in stack order, six counts that add up to all contacts. */
import type { Snapshot } from "../../data/CampaignLive.ts"
import { useZone } from "../../data/AccountPulse.ts"
import { doneOf, type Tally } from "../../data/Tallies.ts"
import { OutcomeBar } from "../../figures/OutcomeBar.tsx"
import { useNow } from "../../shell/Clock.ts"
import { count, money, share } from "../../words/Figures.ts"
import { clock, duration, secondsBetween } from "../../words/Times.ts"
import { inTime } from "../../words/Waiting.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "./Progress.css"

export interface ProgressProps {
  readonly campaign: OpenCampaign
  readonly snapshot: Omit<Snapshot, "name" | "max_concurrent_calls"> | undefined
  readonly tally: Tally | undefined
}

export const Progress = ({ campaign, snapshot, tally }: ProgressProps) => {
  const { counts } = campaign
  const total = tally?.total ?? counts.total
  const done = doneOf(tally ?? counts)
  const reached = tally?.outcomes["answered"] ?? 0
  const tried = tally === undefined ? 0 : tally.completed + tally.failed
  const parts = [
    { word: "completed", value: tally?.completed ?? counts.completed },
    { word: "failed", value: tally?.failed ?? counts.failed },
    { word: "skipped", value: tally?.skipped ?? counts.skipped },
    { word: "in a call", value: tally?.in_progress ?? counts.in_progress },
    ...(tally === undefined
      ? [{ word: "to be called", value: counts.pending }]
      : [
          { word: "waiting to be tried again", value: tally.to_be_retried },
          { word: "not called yet", value: tally.not_called },
        ]),
  ]
  return (
    <section className="Progress" aria-label="Progress">
      <div className="Progress-figures">
        <Figure value={share(done, total)} unit={`${count(done)} of ${count(total)} done`} />
        {tried > 0 && <Figure value={share(reached, tried)} unit="reached a person" />}
        {campaign.status === "running" && snapshot !== undefined && (
          <Figure value={count(snapshot.calls_per_minute)} unit="calls a minute" />
        )}
        <End campaign={campaign} etaSeconds={snapshot?.eta_seconds ?? null} />
        {snapshot !== undefined && snapshot.cost.amount > 0 && (
          <Figure
            value={money(snapshot.cost.amount, snapshot.cost.currency)}
            unit={reached === 0 ? "" : `${money(snapshot.cost.amount / reached)} a person reached`}
          />
        )}
      </div>
      <OutcomeBar parts={tally?.outcomes ?? {}} skipped={tally?.skipped ?? counts.skipped} total={total} size="panel" />
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

const Figure = ({ unit, value }: { readonly value: string; readonly unit: string }) => (
  <p>
    <span className="figure">{value}</span> <span className="unit">{unit}</span>
  </p>
)

const End = ({ campaign, etaSeconds }: { readonly campaign: OpenCampaign; readonly etaSeconds: number | null }) => {
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
    return <Figure value={clock(at, zone)} unit={`starts by itself, ${inTime(at, now)}`} />
  }
  if (status !== "running" || etaSeconds === null || etaSeconds === 0) return null
  return <Figure value={clock(new Date(now.getTime() + etaSeconds * 1000), zone)} unit="expected end" />
}
