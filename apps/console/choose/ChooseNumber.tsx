/** A menu of the account's phone numbers. */
import { useRpc, useRpcClient } from "../data/Rpc.ts"
import type { Outputs } from "../data/AccountPulse.ts"
import { formatNumber } from "../words/PhoneNumbers.ts"
import { ChooseFrom, type ChooseProps } from "./Choose.tsx"

type PhoneNumber = Outputs["phoneNumbers"]["list"]["items"][number]

const toChoice = ({ carrier, id, label, number }: PhoneNumber) => ({
  id,
  word: formatNumber(number),
  note: [label, carrier].filter((part) => part !== "").join(", "),
})

export interface ChooseNumberProps extends ChooseProps {
  /** Offers only the numbers of this carrier. */
  readonly carrier?: PhoneNumber["carrier"]
}

export const ChooseNumber = ({ carrier, ...props }: ChooseNumberProps) => {
  const rpc = useRpc()
  const { phoneNumbers } = useRpcClient()
  const only = carrier === undefined ? {} : { carrier }
  return (
    <ChooseFrom
      {...props}
      under={[...rpc.phoneNumbers.pathKey(), only]}
      from={{
        list: { query: (asked, options) => phoneNumbers.list.query({ ...asked, ...only }, options) },
        get: phoneNumbers.get,
      }}
      toChoice={toChoice}
    />
  )
}
