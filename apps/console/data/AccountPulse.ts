/** What is alive in the account and what is in trouble: one answer for the side bar and for every page that shows it. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { inferRouterOutputs } from "@trpc/server"
import type { AppRouter } from "../../../src/rpc/Router.ts"
import { useRpc } from "./Rpc.ts"

export type Outputs = inferRouterOutputs<AppRouter>
export type AccountPulse = Outputs["account"]["pulse"]

/** As often as campaigns tell how they stand. */
export const beat = 2_000

export const usePulseQuery = () => {
  const rpc = useRpc()
  return useQuery(
    rpc.account.pulse.queryOptions(undefined, { refetchInterval: beat, placeholderData: keepPreviousData }),
  )
}

export const useAccountPulse = (): AccountPulse | undefined => usePulseQuery().data

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The account's time zone, in which every page writes its times. */
export const useZone = (): string => useAccountPulse()?.account.time_zone ?? here
