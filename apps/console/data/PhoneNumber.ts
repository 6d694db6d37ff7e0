/** Looks up a phone number by its id. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "./Rpc.ts"

/** Undefined while it is loading, and if the account no longer has the number. */
export const usePhoneNumber = (id: string | undefined): string | undefined => {
  const rpc = useRpc()
  const asked = rpc.phoneNumbers.get.queryOptions({ id: id ?? "" }, { enabled: id !== undefined, staleTime: 60_000 })
  return useQuery(asked).data?.number
}
