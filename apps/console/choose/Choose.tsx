/** A menu that searches the server for its choices, so that a list may have any length. */
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { problemOf } from "../data/Problem.ts"
import type { Resource } from "../data/Resource.ts"
import { useSettled } from "../data/Settled.ts"
import { sentence } from "../ui/ProblemLine.tsx"
import { SearchMenu, type SearchMenuProps } from "../ui/SearchMenu.tsx"
import type { SelectChoice } from "../ui/ChoiceMenu.tsx"

export interface ChooseProps extends Pick<SearchMenuProps, "form" | "label" | "placeholder"> {
  readonly chosen: string | null
  readonly onChoose: (id: string, choice: SelectChoice | undefined) => void
  /** A first choice that is not a row, such as "any". It is hidden during a search. */
  readonly none?: SelectChoice
  /** Ids of choices to leave out. */
  readonly without?: ReadonlyArray<string>
}

export interface ChooseFromProps<Item> extends ChooseProps {
  /** Prefix of the query keys: invalidating it reloads the choices. */
  readonly under: QueryKey
  /** `list` finds the choices. `get` reads the chosen item, which the search may not have found. */
  readonly from: Resource<Item>
  readonly toChoice: (item: Item) => SelectChoice
}

const shown = 20
const staleTime = 60_000

export const ChooseFrom = <Item,>(props: ChooseFromProps<Item>) => {
  const { chosen, from, none, onChoose, toChoice, under, without = [], ...menu } = props
  const [typed, setTyped] = useState("")
  const search = useSettled(typed.trim())
  const asked = { page_size: shown, ...(search !== "" && { search }) }
  const found = useQuery({
    queryKey: [...under, { type: "choices", ...asked }],
    queryFn: async ({ signal }) => {
      const { items, total } = await from.list.query(asked, { signal })
      return { items: items.map((item) => toChoice(item)), total }
    },
    placeholderData: keepPreviousData,
    staleTime,
  })
  const isOne = chosen !== null && chosen !== none?.id
  const one = useQuery({
    queryKey: [...under, { type: "choice", id: chosen }],
    queryFn: async ({ signal }) => toChoice(await from.get.query({ id: chosen ?? "" }, { signal })),
    enabled: isOne,
    staleTime,
  })
  const choices = found.data && [
    ...(none === undefined || search !== "" ? [] : [none]),
    ...found.data.items.filter(({ id }) => !without.includes(id)),
  ]
  return (
    <SearchMenu
      {...menu}
      choices={choices}
      problem={found.error === null ? undefined : sentence(problemOf(found.error).detail)}
      more={found.data === undefined ? 0 : found.data.total - found.data.items.length}
      search={typed}
      onSearch={setTyped}
      chosen={chosen}
      chosenWord={isOne ? one.data?.word : none?.word}
      onChoose={(id) =>
        onChoose(
          id,
          choices?.find((choice) => choice.id === id),
        )
      }
    />
  )
}
