/** The account's live figures and troubles: one query for the side bar and every page that shows them. */
import { keepPreviousData, type QueryClient, type QueryKey, useQuery } from "@tanstack/react-query"
import type { inferRouterOutputs } from "@trpc/server"
import type { AppRouter } from "../../../src/rpc/Router.ts"
import { useRpc } from "./Rpc.ts"

export type Outputs = inferRouterOutputs<AppRouter>
export type AccountPulse = Outputs["account"]["pulse"]

/** Milliseconds between two refreshes. A campaign's stream sends at the same interval. */
export const beat = 2_000

/** The number of live views that bring the pulse. While there is one, the pulse is from the same moment as the page. */
let feeders = 0

/** Stops polling while a live view brings the pulse; the returned function starts it again. */
export const feedPulse = (queries: QueryClient, queryKey: QueryKey): (() => void) => {
  feeders++
  void queries.cancelQueries({ queryKey }, { silent: true })
  return () => {
    feeders--
    void queries.invalidateQueries({ queryKey })
  }
}

export const usePulseQuery = () => {
  const rpc = useRpc()
  return useQuery(
    rpc.account.pulse.queryOptions(undefined, {
      // An answer from another moment than the view would contradict the page.
      enabled: ({ state }) => feeders === 0 || state.data === undefined,
      refetchInterval: beat,
      placeholderData: keepPreviousData,
    }),
  )
}

export const useAccountPulse = (): AccountPulse | undefined => usePulseQuery().data

/** The failed deliveries that wait for a webhook, as in the side bar. If none has failed, those on their way. */
export const useWaitingDeliveries = (webhook: { readonly id: string; readonly pending_deliveries: number }): number => {
  const refused = useRefusedDeliveries(webhook.id)
  return refused === 0 ? webhook.pending_deliveries : refused
}

/** Zero while the webhook has accepted everything. */
export const useRefusedDeliveries = (webhookId: string): number =>
  useAccountPulse()?.waiting_deliveries.find(({ webhook_id }) => webhook_id === webhookId)?.deliveries ?? 0

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The account's time zone, in which every page writes its times. */
export const useZone = (): string => useAccountPulse()?.account.time_zone ?? here
