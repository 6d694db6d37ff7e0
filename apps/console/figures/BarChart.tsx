/**
 * Counts over time as stacked bars: an axis from zero, at most three grid lines, one tooltip, and the figures as a
 * table on demand.
 */
import { scaleBand, scaleLinear } from "d3-scale"
import { stack } from "d3-shape"
import { type KeyboardEvent, memo, useState } from "react"
import { count } from "../words/Figures.ts"
import { ActionMenu } from "../ui/ActionMenu.tsx"
import { type AxisLabel, placeLabels } from "./AxisLabels.ts"
import type { Bucket, Series } from "./Bars.ts"
import { BarTable } from "./BarTable.tsx"
import { BarTooltip } from "./BarTooltip.tsx"
import { useWidth } from "./Size.ts"
import "./BarChart.css"

/** A bracket with a caption above the bars. */
export interface Incident {
  readonly from: number
  readonly to: number
  readonly word: string
}

export interface BarChartProps {
  /** A summary in words: "Calls a minute, last 60 minutes: 10 to 21." */
  readonly sentence: string
  readonly buckets: ReadonlyArray<Bucket>
  /** From the bottom up. */
  readonly series: ReadonlyArray<Series>
  readonly height: number
  /** The labels below the bars. Those that do not fit are left out. */
  readonly labels: ReadonlyArray<AxisLabel>
  readonly timeOf: (at: Date) => string
  readonly incidents?: ReadonlyArray<Incident>
  /** The series whose parts keep their colour while the others fade. */
  readonly highlighted?: string | undefined
  readonly onOpen?: (bucket: Bucket) => void
}

/** The widest bar in pixels, so that a chart of few bars does not become a chart of blocks. */
const widest = 44
const axis = 44
const below = 22
const above = 18

const totalOf = ({ parts }: Bucket): number => Object.values(parts).reduce((sum, part) => sum + part, 0)

export const BarChart = memo((props: BarChartProps) => {
  const { buckets, height, highlighted, incidents = [], labels, onOpen, sentence, series, timeOf } = props
  const [place, width] = useWidth<HTMLDivElement>()
  const [active, setActive] = useState<number>()
  const [isTable, setTable] = useState(false)
  const right = Math.max(width - axis, 0)
  const bottom = height - below
  const x = scaleBand<number>()
    .domain(buckets.map((_, at) => at))
    .range([0, Math.min(right, buckets.length * widest)])
    .paddingInner(0.12)
  const most = Math.max(4, ...buckets.map(totalOf))
  const y = scaleLinear().domain([0, most]).nice(3).range([bottom, above])
  const ticks = y.ticks(3).filter(Number.isInteger)
  const layers = stack<Bucket, string>()
    .keys(series.map(({ key }) => key))
    .value(({ parts }, key) => parts[key] ?? 0)([...buckets])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setActive((at) => Math.min(Math.max((at ?? buckets.length) + step, 0), buckets.length - 1))
    }
    if (event.key === "Escape") setActive(undefined)
  }
  const shown = active === undefined ? undefined : buckets[active]

  return (
    <div ref={place} className="BarChart" style={{ minHeight: height }}>
      {isTable ? (
        <BarTable buckets={buckets} series={series} timeOf={timeOf} />
      ) : (
        <>
          <svg className="BarChart-svg" width={width} height={height} aria-hidden>
            {ticks.map((tick) => (
              <g key={tick}>
                <line className="BarChart-grid" x1={0} x2={right} y1={y(tick) + 0.5} y2={y(tick) + 0.5} />
                <text className="BarChart-word" x={right + 8} y={y(tick) + 4}>
                  {count(tick)}
                </text>
              </g>
            ))}
            {layers.map((layer, of) => {
              const { fill = "", key = "" } = series[of] ?? {}
              return (
                <g key={key} className={fill} opacity={highlighted === undefined || highlighted === key ? 1 : 0.25}>
                  {layer.map(([from, to], at) => {
                    const tall = y(from) - y(to)
                    return to === from ? null : (
                      <rect
                        key={at}
                        x={x(at)}
                        y={y(to)}
                        width={Math.max(x.bandwidth(), 1)}
                        height={Math.max(tall - (tall > 3 && from > 0 ? 1 : 0), 1)}
                        opacity={buckets[at]?.isRunning === true ? 0.4 : 1}
                      />
                    )
                  })}
                </g>
              )
            })}
            <line className="BarChart-axis" x1={0} x2={right} y1={bottom + 0.5} y2={bottom + 0.5} />
            {incidents.map(({ from, to, word }) => {
              const left = x(from) ?? 0
              const end = (x(to) ?? 0) + x.bandwidth()
              return (
                <g key={`${from} ${word}`}>
                  <line className="BarChart-bracket" x1={left} x2={end} y1={above - 2} y2={above - 2} />
                  <text className="BarChart-word" x={(left + end) / 2} y={above - 8} textAnchor="middle">
                    {word}
                  </text>
                </g>
              )
            })}
            {placeLabels(labels, { count: buckets.length, leftOf: (at) => x(at) ?? 0, width: x.bandwidth() }).map(
              ({ at, left, word }) => (
                <text key={`${at} ${word}`} className="BarChart-word" x={left} y={height - 4}>
                  {word}
                </text>
              ),
            )}
            {active !== undefined && (
              <rect className="BarChart-active" x={x(active)} y={above} width={x.bandwidth()} height={bottom - above} />
            )}
          </svg>
          {/* Above the picture and not around it: otherwise the axis labels would become the button's name. */}
          <button
            type="button"
            className="BarChart-press"
            style={{ width, height }}
            aria-label={sentence}
            onClick={() => active !== undefined && buckets[active] !== undefined && onOpen?.(buckets[active])}
            onKeyDown={onKeyDown}
            onBlur={() => setActive(undefined)}
            onPointerLeave={() => setActive(undefined)}
            onPointerMove={({ clientX, currentTarget }) => {
              const at = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / x.step())
              setActive(at >= 0 && at < buckets.length ? at : undefined)
            }}
          />
        </>
      )}
      <div className="BarChart-menu">
        <ActionMenu
          label="Actions for this chart"
          actions={[{ id: "table", word: isTable ? "Show as bars" : "Show as table", onAct: () => setTable(!isTable) }]}
        />
      </div>
      {shown !== undefined && !isTable && (
        <BarTooltip
          bucket={shown}
          series={series}
          time={timeOf(shown.at)}
          left={Math.min((x(active ?? 0) ?? 0) + x.bandwidth() + 8, Math.max(width - 190, 0))}
        />
      )}
    </div>
  )
})
