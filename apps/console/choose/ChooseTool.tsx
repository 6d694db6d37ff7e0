/** A menu of the account's tools, each by its name. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

const toChoice = ({ display_name, name }: Outputs["tools"]["list"]["items"][number]) => ({
  id: name,
  word: name,
  note: display_name,
})

export const ChooseTool = (props: ChooseProps) => {
  const rpc = useRpc()
  const { tools } = useRpcClient()
  return <ChooseFrom {...props} under={rpc.tools.pathKey()} from={tools} toChoice={toChoice} />
}
