/** The confirmation before an agent is deleted. It says what is deleted with the agent. */
import { IconArrowRight, IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../../data/Account.tsx"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import type { Agent } from "./Agent.ts"

export const DeleteAgent = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await client.agents.remove.mutate({ id: agent.id })
    notice({ text: `${agent.name} is deleted.` })
    await navigate({ to: "/$account/agents", params: { account: slug } })
    await queries.invalidateQueries({ queryKey: rpc.agents.list.pathKey() })
  }
  return (
    <Confirm
      question={`Delete ${agent.name}?`}
      lines={[
        {
          icon: <IconX aria-hidden />,
          text: `Its ${agent.version === 1 ? "version goes" : `${agent.version} versions go`} with it.`,
        },
        { icon: <IconArrowRight aria-hidden />, text: "Tools, playbooks and FAQs stay. Calls that it made stay." },
      ]}
      verb="Delete the agent"
      leave="Keep it"
      onConfirm={remove}
      isOpen
      onClose={onClose}
    />
  )
}
