/** The calls of the last hour by minute: reached, not reached, failed. */
import { useMemo } from "react"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { BarChart } from "../../figures/BarChart.tsx"
import type { Bucket, Series } from "../../figures/Bars.ts"
import { useMinute } from "../../shell/Clock.ts"
import { Loading } from "../../ui/Loading.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { count } from "../../words/Figures.ts"
import { clock } from "../../words/Times.ts"
import "../../figures/Legend.css"

type Minutes = Outputs["account"]["activity"]["minutes"]

const series: ReadonlyArray<Series> = [
  { key: "reached", word: "Reached", fill: "Fill-answered" },
  { key: "missed", word: "Not reached", fill: "Fill-no_answer" },
  { key: "failed", word: "Failed", fill: "Fill-carrier_error" },
]

/** Reached: a person or a machine answered. Failed: no phone rang, because of Parley, the carrier or the number. */
const kindOf: Record<string, string> = {
  answered: "reached",
  voicemail: "reached",
  no_answer: "missed",
  busy: "missed",
  rejected: "missed",
  invalid_number: "failed",
  carrier_error: "failed",
  unknown: "failed",
}

const minute = 60_000
const shown = 60

const bucketsOf = (minutes: Minutes, now: number): ReadonlyArray<Bucket> => {
  const known = new Map(minutes.map(({ at, outcomes }) => [Date.parse(at), outcomes]))
  const last = Math.floor(now / minute) * minute
  return Array.from({ length: shown }, (_, index) => {
    const at = last - (shown - 1 - index) * minute
    const parts: Record<string, number> = {}
    for (const [outcome, calls] of Object.entries(known.get(at) ?? {})) {
      const kind = kindOf[outcome] ?? "failed"
      parts[kind] = (parts[kind] ?? 0) + calls
    }
    return { at: new Date(at), parts, isRunning: at === last }
  })
}

const sums = (buckets: ReadonlyArray<Bucket>) =>
  buckets.map(({ parts }) => Object.values(parts).reduce((sum, part) => sum + part, 0))

export interface CallsAMinuteProps {
  readonly minutes: Minutes | undefined
  readonly limit: number
}

export const CallsAMinute = ({ limit, minutes }: CallsAMinuteProps) => {
  const zone = useZone()
  // Rebuild the bars each minute, not each second.
  const present = useMinute().getTime()
  const buckets = useMemo(() => bucketsOf(minutes ?? [], present), [minutes, present])
  const totals = sums(buckets)
  const timeOf = (at: Date) => clock(at, zone)
  return (
    <Panel
      title={
        <>
          Calls a minute
          <span className="Legend">
            {series.map(({ fill, key, word }) => (
              <span key={key} className="Legend-entry">
                <span className={`Legend-fill ${fill}`} />
                {word}
              </span>
            ))}
          </span>
        </>
      }
      aside={`last 60 minutes · cap ${count(limit)} a minute`}
    >
      <PanelBody>
        {minutes === undefined ? (
          <Loading label="Calls a minute" />
        ) : (
          <BarChart
            sentence={`Calls a minute, last 60 minutes: ${count(Math.min(...totals))} to ${count(Math.max(...totals))}.`}
            buckets={buckets}
            series={series}
            height={300}
            timeOf={timeOf}
            labels={[0, 15, 30, 45, 59].map((at) => ({
              at,
              word: at === shown - 1 ? "now" : timeOf(buckets[at]?.at ?? new Date(present)),
            }))}
          />
        )}
      </PanelBody>
    </Panel>
  )
}
