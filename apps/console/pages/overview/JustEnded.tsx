/** The latest ended calls: number, outcome, length, time. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useZone } from "../../data/AccountPulse.ts"
import type { AccountView } from "../../data/LiveViews.ts"
import { OutcomeWord } from "../../figures/OutcomeWord.tsx"
import { useMinute } from "../../shell/Clock.ts"
import { Panel } from "../../ui/Panel.tsx"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { length, moment, secondsBetween, utc } from "../../words/Times.ts"
import "../../ui/Table.css"
import "./JustEnded.css"

const shown = 9

export const JustEnded = ({ calls }: { readonly calls: AccountView["latest"] }) => {
  const { slug } = useAccount()
  const zone = useZone()
  const now = useMinute()
  const ended = calls
    .flatMap((call) => (call.ended_at === null ? [] : [{ ...call, ended: new Date(call.ended_at) }]))
    .toSorted((a, b) => b.ended.getTime() - a.ended.getTime())
    .slice(0, shown)
  return (
    <Panel
      title="Just ended"
      aside={
        <Link to="/$account/calls" params={{ account: slug }} className="Quiet-link">
          All calls
        </Link>
      }
    >
      {ended.length === 0 && <p className="Running-none">No call has ended yet.</p>}
      {ended.length > 0 && (
        <table className="Table JustEnded" aria-label="Calls that ended last">
          <tbody>
            {ended.map(({ duration_seconds, ended, id, outcome, started_at, to }) => (
              <tr key={id} className="Table-row">
                <td>
                  <Link to="/$account/calls/$id" params={{ account: slug, id }} className="Table-link mono">
                    {to === null ? "From a page" : formatNumber(to)}
                  </Link>
                </td>
                <td>{outcome !== null && <OutcomeWord of={outcome} />}</td>
                <td className="Table-figure quiet">
                  {length(duration_seconds ?? secondsBetween(new Date(started_at), ended))}
                </td>
                <td className="Table-figure second-line">
                  <time dateTime={ended.toISOString()} title={utc(ended)}>
                    {moment(ended, now, zone)}
                  </time>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
