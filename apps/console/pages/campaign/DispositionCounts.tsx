/** How many of the campaign's calls have each disposition. Each row links to its calls. */
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useDispositions } from "../../data/Dispositions.ts"
import { Panel } from "../../ui/Panel.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { count, counted, share } from "../../words/Figures.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import "./DispositionCounts.css"

export interface DispositionCountsProps {
  readonly campaign: OpenCampaign
  /** Calls by the key of their disposition. Undefined if no call has one. */
  readonly counts: Readonly<Record<string, number>> | undefined
}

/** Shown if the agent has dispositions, or had them when one was set. */
export const DispositionCounts = ({ campaign, counts }: DispositionCountsProps) => {
  const { slug } = useAccount()
  const dispositions = useDispositions(campaign.agent_id, counts)
  if (dispositions.length === 0) return null
  const total = dispositions.reduce((sum, { calls }) => sum + calls, 0)
  const most = Math.max(1, ...dispositions.map(({ calls }) => calls))
  return (
    <Panel className="DispositionCounts-panel" title="Dispositions" aside={`set on ${counted(total, "call")}`}>
      <table className="DispositionCounts" aria-label="Calls by disposition">
        <tbody>
          {dispositions.map(({ calls, isFinal, key, label }) => (
            <tr key={key} className="Table-row">
              <th scope="row">
                <Link
                  to="/$account/campaigns/$id/calls"
                  params={{ account: slug, id: campaign.id }}
                  search={{ disposition: key }}
                  className="Table-link"
                >
                  {label}
                </Link>{" "}
                {isFinal && <Tag>ends the contact</Tag>}
              </th>
              <td className="DispositionCounts-bar" aria-hidden>
                <span style={{ width: `${(100 * calls) / most}%` }} />
              </td>
              <td>{count(calls)}</td>
              <td className="quiet">{share(calls, total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
