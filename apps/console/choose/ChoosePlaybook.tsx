/** A menu of the account's playbooks. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { ChooseFrom, type ChooseProps, found } from "./Choose.tsx"

const toChoice = ({ display_name, id, name }: Outputs["playbooks"]["list"]["items"][number]) => ({
  id,
  word: name,
  note: display_name,
})

export const ChoosePlaybook = (props: ChooseProps) => {
  const rpc = useRpc()
  const { playbooks } = useRpcClient()
  return (
    <ChooseFrom
      {...props}
      under={rpc.playbooks.pathKey()}
      find={async (search, signal) => found(await playbooks.list.query(search, { signal }), toChoice)}
      get={async (id, signal) => toChoice(await playbooks.get.query({ id }, { signal }))}
    />
  )
}
