/** A menu of the account's agents. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

const toChoice = ({ description, id, name }: Outputs["agents"]["list"]["items"][number]) => ({
  id,
  word: name,
  note: description,
})

export const ChooseAgent = (props: ChooseProps) => {
  const rpc = useRpc()
  const { agents } = useRpcClient()
  return <ChooseFrom {...props} under={rpc.agents.pathKey()} from={agents} toChoice={toChoice} />
}
