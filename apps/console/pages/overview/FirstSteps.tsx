/** The three steps of a new account to its first campaign. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { IconCheck } from "@tabler/icons-react"
import { useAccount } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import "./FirstSteps.css"

export const FirstSteps = () => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const agents = useQuery(rpc.agents.list.queryOptions({ page_size: 1 })).data?.total ?? 0
  const numbers = useQuery(rpc.phoneNumbers.list.queryOptions({ page_size: 1 })).data?.total ?? 0
  const steps = [
    {
      to: "/$account/agents",
      word: "Make an agent",
      note: "Its first words and what it is to do.",
      isDone: agents > 0,
    },
    {
      to: "/$account/phone-numbers",
      word: "Add a number",
      note: "To call from. A lab number rings no real phone.",
      isDone: numbers > 0,
    },
    {
      to: "/$account/campaigns/new",
      word: "Start with 200 sample contacts",
      note: "Sample contacts ring in the lab. No real person is called.",
      isDone: false,
    },
  ]
  return (
    <ol className="FirstSteps">
      {steps.map(({ isDone, note, to, word }, at) => (
        <li key={to} className="FirstSteps-step">
          <span className={`FirstSteps-number ${isDone ? "FirstSteps-done" : ""}`} aria-hidden>
            {isDone ? <IconCheck size={14} /> : at + 1}
          </span>
          <span>
            <Link to={to} params={{ account: slug }} search={{}} className="name">
              {word}
            </Link>
            {isDone && <span className="unseen"> (done)</span>}
            <span className="Table-second">{note}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
