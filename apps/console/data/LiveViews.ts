/**
 * What a page shows, as one value. The server reads all figures of a view at one moment, and the page draws them in one
 * pass, with the account's slots in the side bar. While a view is followed, nothing else requests the account's pulse.
 */
import {
  keepPreviousData,
  notifyManager,
  type QueryKey,
  replaceEqualDeep,
  skipToken,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import type { inferRouterInputs } from "@trpc/server"
import { useSubscription } from "@trpc/tanstack-react-query"
import { useEffect } from "react"
import type { AppRouter } from "../../../src/rpc/Router.ts"
import { type AccountPulse, feedPulse, type Outputs } from "./AccountPulse.ts"
import { drawSoon } from "./Gathered.ts"
import { isPassing, problemOf } from "./Problem.ts"
import { useRpc } from "./Rpc.ts"
import { useIsWatched } from "./Watched.ts"

type Followed<Subscription> = Subscription extends AsyncIterable<{ readonly data: infer View }> ? View : never

export type CampaignView = Followed<Outputs["campaigns"]["view"]>
export type AccountView = Followed<Outputs["account"]["view"]>
export type CampaignBoard = Followed<Outputs["account"]["board"]>
export type BoardFilter = NonNullable<inferRouterInputs<AppRouter>["account"]["board"]>

export interface Live<View> {
  /** Undefined until the first one has arrived. */
  readonly view: View | undefined
  readonly error: unknown
  /** Undefined until the first view has arrived. */
  readonly isConnected: boolean | undefined
  readonly retry: () => void
}

/** Milliseconds until a view that the server failed to read is requested again. */
const retryAfter = 3_000

const useView = <View extends { readonly pulse: AccountPulse }>(queryKey: QueryKey) => {
  const rpc = useRpc()
  const queries = useQueryClient()
  const { data: view } = useQuery<View>({ queryKey, queryFn: skipToken, gcTime: 0, placeholderData: keepPreviousData })
  useEffect(() => feedPulse(queries, rpc.account.pulse.queryKey()), [queries, rpc])
  const onData = ({ data }: { readonly data: View }) =>
    drawSoon("view", () =>
      notifyManager.batch(() => {
        queries.setQueryData<View>(queryKey, (before) => replaceEqualDeep(before, data))
        queries.setQueryData(rpc.account.pulse.queryKey(), data.pulse)
      }),
    )
  return { view, onData }
}

interface Told {
  readonly error: unknown
  readonly status: string
  readonly reset: () => void
}

const useLive = <View>(view: View | undefined, isWatched: boolean, { error, reset, status }: Told): Live<View> => {
  const isFailed = status === "error" && isPassing(problemOf(error))
  useEffect(() => {
    if (!isFailed) return undefined
    const timer = setTimeout(reset, retryAfter)
    return () => clearTimeout(timer)
  }, [isFailed, reset])
  const isOn = status === "pending" || status === "idle" || !isWatched
  return {
    view,
    error: status === "error" ? error : null,
    isConnected: view === undefined ? undefined : isOn,
    retry: reset,
  }
}

export const useCampaignView = (id: string): Live<CampaignView> => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const { onData, view } = useView<CampaignView>(["view of campaign", id])
  const told = useSubscription(rpc.campaigns.view.subscriptionOptions({ id }, { enabled: isWatched, onData }))
  return useLive(view?.campaign.id === id ? view : undefined, isWatched, told)
}

export const useAccountView = (): Live<AccountView> => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const { onData, view } = useView<AccountView>(["view of account"])
  return useLive(
    view,
    isWatched,
    useSubscription(rpc.account.view.subscriptionOptions(undefined, { enabled: isWatched, onData })),
  )
}

/** The previous page stays visible until the requested one has arrived. */
export const useCampaignBoard = (filter: BoardFilter): Live<CampaignBoard> => {
  const rpc = useRpc()
  const isWatched = useIsWatched()
  const { onData, view } = useView<CampaignBoard>(["board", filter])
  return useLive(
    view,
    isWatched,
    useSubscription(rpc.account.board.subscriptionOptions(filter, { enabled: isWatched, onData })),
  )
}
