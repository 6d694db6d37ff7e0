/** The other party of a call in words. The account's own number is the other side. */
import { formatNumber } from "./PhoneNumbers.ts"

interface Ends {
  readonly direction: "outbound" | "inbound" | "web"
  readonly from: string | null
  readonly to: string | null
}

/** The other party's number: the called one of an outbound call, the caller's of an inbound one. */
export const otherNumber = ({ direction, from, to }: Ends): string | null =>
  direction === "inbound" ? from : direction === "web" ? null : to

export const otherEnd = (call: Ends): string => {
  const number = otherNumber(call)
  return number !== null ? formatNumber(number) : call.direction === "web" ? "From a page" : "Hidden number"
}
