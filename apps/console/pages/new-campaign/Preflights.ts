/** The preflight of a draft. The server runs one preflight per account at a time, so pages share the result. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"

export interface Assumed {
  readonly answer_rate: number
  readonly voicemail_rate: number
  readonly average_call_seconds: number
}

/** The rates that are assumed until the user changes them. */
export const usual: Assumed = { answer_rate: 0.55, voicemail_rate: 0.1, average_call_seconds: 60 }

/** The count of contacts neither on the do-not-call list nor always outside their hours. Undefined until known. */
export const useCalledPeople = (id: string): number | undefined => {
  const report = usePreflight(id, usual).data
  return report && report.contacts.considered - report.contacts.skipped
}

export const usePreflight = (id: string, assumed: Assumed) => {
  const rpc = useRpc()
  return useQuery(
    rpc.campaigns.preflight.queryOptions(
      { id, ...assumed },
      { placeholderData: keepPreviousData, staleTime: 30_000, gcTime: 0 },
    ),
  )
}
