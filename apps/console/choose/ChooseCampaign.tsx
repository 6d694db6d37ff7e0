/** A menu of the account's campaigns. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

const toChoice = ({ id, name }: Outputs["campaigns"]["list"]["items"][number]) => ({ id, word: name })

export const ChooseCampaign = (props: ChooseProps) => {
  const rpc = useRpc()
  const { campaigns } = useRpcClient()
  return <ChooseFrom {...props} under={rpc.campaigns.pathKey()} from={campaigns} toChoice={toChoice} />
}
