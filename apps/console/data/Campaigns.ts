/** The mutations of a campaign, and the queries that are refetched after each. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Outputs } from "./AccountPulse.ts"
import { problemOf } from "./Problem.ts"
import { useEveryAgent } from "./WholeLists.ts"
import { useRpc } from "./Rpc.ts"

export type Campaign = Outputs["campaigns"]["list"]["items"][number]

/** Refetches every figure of campaigns and of the account, since any mutation may change them. */
export const useRefreshCampaigns = () => {
  const rpc = useRpc()
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: rpc.campaigns.pathKey() }),
      queries.invalidateQueries({ queryKey: rpc.account.pathKey() }),
    ])
}

export const useCampaignActs = () => {
  const rpc = useRpc()
  const onSettled = useRefreshCampaigns()
  return {
    start: useMutation(rpc.campaigns.start.mutationOptions({ onSettled })),
    pause: useMutation(rpc.campaigns.pause.mutationOptions({ onSettled })),
    resume: useMutation(rpc.campaigns.resume.mutationOptions({ onSettled })),
    stop: useMutation(rpc.campaigns.stop.mutationOptions({ onSettled })),
    remove: useMutation(rpc.campaigns.remove.mutationOptions({ onSettled })),
    update: useMutation(rpc.campaigns.update.mutationOptions({ onSettled })),
  }
}

/** The first refusal among these mutations, if there is one, and a way to dismiss it. */
export const refusalOf = (...acts: ReadonlyArray<{ readonly error: unknown; readonly reset: () => void }>) => {
  const refused = acts.find(({ error }) => error !== null)
  return refused && { problem: problemOf(refused.error), onClose: () => acts.forEach(({ reset }) => reset()) }
}

/** Agents by id, for the names beside campaigns. */
export const useAgentNames = (): ReadonlyMap<string, string> => {
  const agents = useEveryAgent()
  return new Map((agents ?? []).map(({ id, name }) => [id as string, name]))
}
