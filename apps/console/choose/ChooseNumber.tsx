/** A menu of the account's phone numbers. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { dialled } from "../words/PhoneNumbers.ts"
import { ChooseFrom, type ChooseProps, found } from "./Choose.tsx"

const toChoice = ({ carrier, id, label, number }: Outputs["phoneNumbers"]["list"]["items"][number]) => ({
  id,
  word: dialled(number),
  note: [label, carrier].filter((part) => part !== "").join(", "),
})

export const ChooseNumber = (props: ChooseProps) => {
  const rpc = useRpc()
  const { phoneNumbers } = useRpcClient()
  return (
    <ChooseFrom
      {...props}
      under={rpc.phoneNumbers.pathKey()}
      find={async (search, signal) => found(await phoneNumbers.list.query(search, { signal }), toChoice)}
      get={async (id, signal) => toChoice(await phoneNumbers.get.query({ id }, { signal }))}
    />
  )
}
