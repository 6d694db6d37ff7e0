/** A forecast over time as one line, with labels at its ends. */
import { scaleLinear } from "d3-scale"
import { line } from "d3-shape"
import { useWidth } from "./Size.ts"
import "./ForecastCurve.css"

export interface ForecastCurveProps {
  /** In seconds from the start, rising. */
  readonly points: ReadonlyArray<{ readonly at: number; readonly value: number }>
  readonly sentence: string
  readonly top: string
  readonly end: string
}

const height = 132
const above = 20
const below = 20

export const ForecastCurve = ({ end, points, sentence, top }: ForecastCurveProps) => {
  const [place, width] = useWidth<HTMLDivElement>()
  const last = points.at(-1) ?? { at: 1, value: 1 }
  const x = scaleLinear([0, Math.max(last.at, 1)], [1, Math.max(width - 1, 1)])
  const y = scaleLinear([0, Math.max(last.value, 1)], [height - below, above])
  const path = line<(typeof points)[number]>()
    .x(({ at }) => x(at))
    .y(({ value }) => y(value))([...points])
  return (
    <div ref={place} className="ForecastCurve">
      <svg width={width} height={height} role="img" aria-label={sentence}>
        <line className="BarChart-grid" x1={0} x2={width} y1={above} y2={above} />
        <line className="BarChart-axis" x1={0} x2={width} y1={height - below + 0.5} y2={height - below + 0.5} />
        <path className="ForecastCurve-line" d={path ?? ""} />
        <text className="BarChart-word" x={0} y={above - 6}>
          {top}
        </text>
        <text className="BarChart-word" x={0} y={height - 4}>
          start
        </text>
        <text className="BarChart-word" x={width} y={height - 4} textAnchor="end">
          {end}
        </text>
      </svg>
    </div>
  )
}
