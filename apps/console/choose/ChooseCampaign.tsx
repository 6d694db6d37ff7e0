/** A menu of the account's campaigns, however many there are. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../data/Rpc.ts"
import { SearchMenu } from "../ui/SearchMenu.tsx"
import { choicesOf, type ChooseProps, useChoosing } from "./Choosing.ts"

export const ChooseCampaign = ({ chosen, none, ...menu }: ChooseProps) => {
  const rpc = useRpc()
  const { input, isNarrowed, onSearch, options, search } = useChoosing()
  const found = useQuery(rpc.campaigns.list.queryOptions(input, options))
  const isOne = chosen !== null && chosen !== none?.id
  const one = useQuery(rpc.campaigns.get.queryOptions({ id: chosen ?? "" }, { enabled: isOne, staleTime: 60_000 }))
  return (
    <SearchMenu
      {...menu}
      {...choicesOf(found.data, isNarrowed ? undefined : none, ({ id, name }) => ({ id, word: name }))}
      search={search}
      onSearch={onSearch}
      chosen={chosen}
      chosenWord={isOne ? one.data?.name : none?.word}
    />
  )
}
