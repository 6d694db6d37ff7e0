/** For a campaign that waits for slots: lowers its slots to those that are free, and starts it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRpc, useRpcClient } from "../../data/Rpc.ts"
import { notice } from "../../shell/Notices.tsx"
import { Button } from "../../ui/Button.tsx"
import { problemOf } from "../../data/Problem.ts"

export const LowerAndStart = ({ id, slots }: { readonly id: string; readonly slots: number }) => {
  const rpc = useRpc()
  const client = useRpcClient()
  const queries = useQueryClient()
  const lower = useMutation({
    mutationFn: async () => {
      await client.campaigns.update.mutate({ id, max_concurrent_calls: slots })
      return client.campaigns.start.mutate({ id })
    },
    onSuccess: ({ name }) => notice({ text: `${name} dials with ${slots} slots.` }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: rpc.campaigns.pathKey() }),
        queries.invalidateQueries({ queryKey: rpc.account.pathKey() }),
      ]),
  })
  return (
    <>
      {lower.isError && (
        <span className="second-line" role="alert">
          {problemOf(lower.error).detail}
        </span>
      )}
      <Button size="row" isDisabled={lower.isPending} onPress={() => lower.mutate()}>
        Lower to {slots} and start
      </Button>
    </>
  )
}
