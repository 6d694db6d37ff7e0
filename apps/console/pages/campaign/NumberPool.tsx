/** The numbers that a campaign calls from: what each may do now, and how many of the campaign's calls are answered. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { beat, useZone } from "../../data/AccountPulse.ts"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { idOf, wholeList } from "../../data/WholeLists.ts"
import { useNow } from "../../shell/Clock.ts"
import { Awaiting } from "../../ui/Awaiting.tsx"
import { Columns } from "../../ui/Columns.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { answeredWords, stateWords } from "../../words/CallerNumbers.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import "../../ui/Table.css"

const columns = [{ word: "Number" }, { word: "Now", isWide: true }, { word: "Answered in 7 days", isFigure: true }]

export const NumberPool = ({ id }: { readonly id: string }) => {
  const rpc = useRpc()
  const { callerNumbers } = useRpcClient()
  const { slug } = useAccount()
  const zone = useZone()
  const now = useNow()
  const numbers = useQuery({
    ...wholeList({
      under: rpc.callerNumbers.list.pathKey(),
      list: callerNumbers.list,
      filter: { campaign_id: id },
      keyOf: idOf,
    }),
    refetchInterval: beat * 5,
  })
  return (
    <Panel title="Caller numbers" aside="answers of this campaign’s calls">
      <Awaiting of="caller numbers" asked={numbers} />
      {numbers.data !== undefined && (
        <table className="Table" aria-label="Caller numbers">
          <Columns columns={columns} />
          <tbody>
            {numbers.data.map((one) => (
              <tr key={one.id}>
                <td>
                  <Link
                    to="/$account/phone-numbers/{-$id}"
                    params={{ account: slug, id: one.id }}
                    search={{}}
                    className="name mono"
                  >
                    {formatNumber(one.number)}
                  </Link>
                </td>
                <td className="quiet Table-wide">{stateWords(one, now, zone)}</td>
                <td className="Table-figure">{answeredWords(one.answers.day_7)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
