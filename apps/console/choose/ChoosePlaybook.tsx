/** A menu of the account's playbooks. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

const toChoice = ({ display_name, id, name }: Outputs["playbooks"]["list"]["items"][number]) => ({
  id,
  word: name,
  note: display_name,
})

export const ChoosePlaybook = (props: ChooseProps) => {
  const rpc = useRpc()
  const { playbooks } = useRpcClient()
  return <ChooseFrom {...props} under={rpc.playbooks.pathKey()} from={playbooks} toChoice={toChoice} />
}
