/** The figures of a chart as a table. */
import { count } from "../words/Figures.ts"
import type { Bucket, Series } from "./Bars.ts"
import "../ui/Table.css"

export interface BarTableProps {
  readonly buckets: ReadonlyArray<Bucket>
  readonly series: ReadonlyArray<Series>
  readonly timeOf: (at: Date) => string
}

export const BarTable = ({ buckets, series, timeOf }: BarTableProps) => (
  <div className="BarChart-table">
    <table className="Table">
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ key, word }) => (
            <th key={key} scope="col" className="Table-figure">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ at, parts }) => (
          <tr key={at.getTime()}>
            <th scope="row">{timeOf(at)}</th>
            {series.map(({ key }) => (
              <td key={key} className="Table-figure">
                {count(parts[key] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
