/** The figures of one bucket: its time, its parts in stack order, and their sum. */
import { count } from "../words/Figures.ts"
import type { Bucket, Series } from "./Bars.ts"

export interface BarTooltipProps {
  readonly bucket: Bucket
  readonly series: ReadonlyArray<Series>
  readonly time: string
  readonly left: number
}

export const BarTooltip = ({ bucket, left, series, time }: BarTooltipProps) => {
  const parts = series.filter(({ key }) => (bucket.parts[key] ?? 0) > 0)
  const total = parts.reduce((sum, { key }) => sum + (bucket.parts[key] ?? 0), 0)
  return (
    <div className="BarTooltip" role="status" style={{ left }}>
      <p className="BarTooltip-line name">
        <span>{time}</span>
        <span>{count(total)}</span>
      </p>
      {parts.map(({ fill, key, word }) => (
        <p key={key} className="BarTooltip-line">
          <span className="BarTooltip-word">
            <span className={`BarTooltip-fill ${fill}`} />
            {word}
          </span>
          <span>{count(bucket.parts[key] ?? 0)}</span>
        </p>
      ))}
    </div>
  )
}
