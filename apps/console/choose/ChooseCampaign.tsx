/** A menu of the account's campaigns. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps, found } from "./Choose.tsx"

const toChoice = ({ id, name }: Outputs["campaigns"]["list"]["items"][number]) => ({ id, word: name })

export const ChooseCampaign = (props: ChooseProps) => {
  const rpc = useRpc()
  const { campaigns } = useRpcClient()
  return (
    <ChooseFrom
      {...props}
      under={rpc.campaigns.pathKey()}
      find={async (search, signal) => found(await campaigns.list.query(search, { signal }), toChoice)}
      get={async (id, signal) => toChoice(await campaigns.get.query({ id }, { signal }))}
    />
  )
}
