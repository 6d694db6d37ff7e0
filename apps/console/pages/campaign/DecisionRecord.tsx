/** Why a contact was dialled: each rule with its inputs at that instant and its verdict, and what followed. */
import { IconCheck } from "@tabler/icons-react"
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { type Outputs, useZone } from "../../data/AccountPulse.ts"
import { outcomeWords } from "../../figures/Outcomes.ts"
import { count } from "../../words/Figures.ts"
import { clock, duration, instant, secondsBetween } from "../../words/Times.ts"
import { type Decision, decisionOf, rulesOf } from "./Decision.ts"
import "./DecisionRecord.css"

type Attempt = Outputs["campaigns"]["contacts"]["get"]["attempt_log"][number]

export const DecisionRecord = ({ attempt }: { readonly attempt: Attempt }) => {
  const { slug } = useAccount()
  const zone = useZone()
  const decision = decisionOf(attempt.decision)
  if (decision === undefined) return <p className="second-line">Why it was dialled was not kept.</p>
  const decided = new Date(decision.decided_at ?? attempt.started_at)
  return (
    <div className="Decision">
      <table>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">What it saw at {instant(decided, zone)}</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rulesOf(decision, (at) => clock(at, zone)).map(({ rule, seen, verdict }) => (
            <tr key={rule}>
              <th scope="row">{rule}</th>
              <td>{seen}</td>
              <td className="Decision-verdict">
                <IconCheck size={14} aria-hidden /> {verdict}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Proof attempt={attempt} decision={decision} zone={zone} />
      <p className="Decision-after">
        <span>
          <strong>Dialled.</strong> <span className="second-line">{sayWhatFollowed(attempt, decision)}</span>
        </span>
        <Link to="/$account/calls/$id" params={{ account: slug, id: attempt.call_id }}>
          Open call
        </Link>
      </p>
    </div>
  )
}

/** The receipt of the decision, and the versions of the data that it was made with. */
const Proof = ({
  attempt: { receipt },
  decision: { data, rules },
  zone,
}: {
  readonly attempt: Attempt
  readonly decision: Decision
  readonly zone: string
}) => {
  const { slug } = useAccount()
  const packs = Object.entries(rules?.packs ?? {}).map(([id, version]) => `${id} ${version}`)
  const versions = [...packs, ...(data === undefined ? [] : [`time zones ${data.time_zones}`, data.prefixes])]
  return (
    <dl className="Decision-proof">
      <dt>Receipt</dt>
      <dd>
        {receipt === null ? (
          "Not sealed yet"
        ) : (
          <>
            {count(receipt.seq)}, sealed {instant(new Date(receipt.sealed_at), zone)} in seal {count(receipt.seal)}
            <code>{receipt.hash}</code>
            <Link to="/$account/receipts" params={{ account: slug }}>
              How to verify it
            </Link>
          </>
        )}
      </dd>
      {versions.length > 0 && (
        <>
          <dt>Made with</dt>
          <dd>{versions.join(", ")}</dd>
        </>
      )}
    </dl>
  )
}

/** "Nora v14, no answer after 30 s". */
const sayWhatFollowed = ({ answered_at, ended_at, outcome, started_at }: Attempt, { agent }: Decision): string => {
  const by = agent === undefined ? "" : `${agent.name}${agent.version === undefined ? "" : ` v${agent.version}`}`
  if (outcome === null || ended_at === null) return by
  const until = new Date(answered_at ?? ended_at)
  return `${by}, ${outcomeWords[outcome].toLowerCase()} after ${duration(secondsBetween(new Date(started_at), until))}`
}
