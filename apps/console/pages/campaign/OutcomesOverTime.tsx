/** The outcomes of the calls, over time and in total. Each row of the legend links to its contacts. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { beat, type Outputs, useZone } from "../../data/AccountPulse.ts"
import { useRpc } from "../../data/Rpc.ts"
import { BarChart } from "../../figures/BarChart.tsx"
import type { Bucket } from "../../figures/Bars.ts"
import { OutcomeGlyph } from "../../figures/OutcomeGlyph.tsx"
import { outcomes, outcomeWords } from "../../figures/Outcomes.ts"
import { useMinute } from "../../shell/Clock.ts"
import { Loading } from "../../ui/Loading.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { count, counted, share } from "../../words/Figures.ts"
import { clock, exactClock } from "../../words/Times.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "./OutcomesOverTime.css"

type Timeline = Outputs["campaigns"]["timeline"]

const series = outcomes.map((key) => ({ key, word: outcomeWords[key], fill: `Fill-${key}` }))

/** Possible lengths of a bar in minutes. The chart takes the shortest with which all bars fit. */
const steps = [1, 5, 15, 60, 360, 1440]
const mostBars = 48

const bucketSecondsOf = (campaign: OpenCampaign, now: number): number => {
  const from = Date.parse(campaign.started_at ?? campaign.created_at)
  const to = campaign.ended_at === null ? now : Date.parse(campaign.ended_at)
  const minutes = (to - from) / 60_000
  return (steps.find((step) => minutes / step < mostBars) ?? 1440) * 60
}

const bucketsOf = ({ bucket_seconds, items }: Timeline, until: number, isOver: boolean): ReadonlyArray<Bucket> => {
  const [first] = items
  if (first === undefined) return []
  const step = bucket_seconds * 1000
  const known = new Map(items.map(({ at, outcomes }) => [Date.parse(at), outcomes]))
  const from = Date.parse(first.at)
  const length = Math.min(mostBars * 4, Math.max(1, Math.floor((until - from) / step) + 1))
  return Array.from({ length }, (_, index) => {
    const at = from + index * step
    return { at: new Date(at), parts: known.get(at) ?? {}, isRunning: !isOver && at + step > until }
  })
}

export interface OutcomesOverTimeProps {
  readonly campaign: OpenCampaign
  /** Ended calls by outcome, as in the page's other figures. */
  readonly outcomes: Readonly<Record<string, number>>
}

export const OutcomesOverTime = ({ campaign, outcomes: totals }: OutcomesOverTimeProps) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const zone = useZone()
  const present = useMinute().getTime() + 59_999
  const [highlighted, setHighlighted] = useState<string>()
  const bucket_seconds = bucketSecondsOf(campaign, present)
  const { data, dataUpdatedAt } = useQuery(
    rpc.campaigns.timeline.queryOptions(
      { id: campaign.id, bucket_seconds },
      { placeholderData: keepPreviousData, refetchInterval: campaign.ended_at === null ? beat * 2 : false },
    ),
  )
  const isOver = campaign.ended_at !== null
  const until = campaign.ended_at === null ? present : Date.parse(campaign.ended_at)
  const buckets = useMemo(() => (data === undefined ? [] : bucketsOf(data, until, isOver)), [data, until, isOver])
  const total = Object.values(totals).reduce((sum, calls) => sum + calls, 0)
  const timeOf = (at: Date) => clock(at, zone)
  const minutes = (data?.bucket_seconds ?? bucket_seconds) / 60
  const inBars = data?.items.reduce((sum, { outcomes }) => sum + Object.values(outcomes).reduce((a, b) => a + b, 0), 0)
  // The bars are refreshed less often than the totals, so say of which time they are.
  const asOf = inBars === undefined || inBars === total ? "" : `, as of ${exactClock(new Date(dataUpdatedAt), zone)}`
  const labels = labelsOf(buckets, timeOf, !isOver)
  return (
    <Panel
      className="Outcomes-panel"
      title={`Outcomes of ${counted(total, "call")}`}
      aside={`each bar is ${minutes < 60 ? counted(minutes, "minute") : counted(minutes / 60, "hour")}${asOf}`}
    >
      <div className="Outcomes">
        {data === undefined ? (
          <Loading label="Outcomes" />
        ) : (
          <BarChart
            sentence={`Outcomes of ${counted(total, "call")} over time. ${series
              .filter(({ key }) => (totals[key] ?? 0) > 0)
              .map(({ key, word }) => `${word} ${totals[key]}`)
              .join(", ")}.`}
            buckets={buckets}
            series={series}
            height={194}
            labels={labels}
            timeOf={timeOf}
            highlighted={highlighted}
          />
        )}
        <table className="Outcomes-legend" aria-label="Calls by outcome">
          <tbody>
            {outcomes.map((outcome) => (
              <tr
                key={outcome}
                className="Table-row"
                onPointerEnter={() => setHighlighted(outcome)}
                onPointerLeave={() => setHighlighted(undefined)}
              >
                <th scope="row">
                  <Link
                    to="/$account/campaigns/$id/contacts"
                    params={{ account: slug, id: campaign.id }}
                    search={{ outcome }}
                    className="Table-link OutcomeWord"
                  >
                    <OutcomeGlyph of={outcome} />
                    {outcomeWords[outcome]}
                  </Link>
                </th>
                <td>{count(totals[outcome] ?? 0)}</td>
                <td className="quiet">{share(totals[outcome] ?? 0, total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

const labelsOf = (buckets: ReadonlyArray<Bucket>, timeOf: (at: Date) => string, isLive: boolean) => {
  const last = buckets.length - 1
  if (last < 0) return []
  const every = Math.max(1, Math.ceil(buckets.length / 4))
  const marks = buckets.flatMap(({ at }, index) =>
    index % every === 0 && last - index > every * 0.4 ? [{ at: index, word: timeOf(at) }] : [],
  )
  const end = buckets[last]
  return end === undefined ? marks : [...marks, { at: last, word: isLive ? "now" : timeOf(end.at) }]
}
