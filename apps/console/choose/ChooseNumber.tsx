/** A menu of the account's phone numbers. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { formatNumber } from "../words/PhoneNumbers.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

const toChoice = ({ carrier, id, label, number }: Outputs["phoneNumbers"]["list"]["items"][number]) => ({
  id,
  word: formatNumber(number),
  note: [label, carrier].filter((part) => part !== "").join(", "),
})

export const ChooseNumber = (props: ChooseProps) => {
  const rpc = useRpc()
  const { phoneNumbers } = useRpcClient()
  return <ChooseFrom {...props} under={rpc.phoneNumbers.pathKey()} from={phoneNumbers} toChoice={toChoice} />
}
