/** A menu that searches the server for what there is to choose, however much there is. */
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useSettled } from "../data/Settled.ts"
import { SearchMenu, type SearchMenuProps } from "../ui/SearchMenu.tsx"
import type { SelectChoice } from "../ui/ChoiceMenu.tsx"

/** The first choices of a list, and how many it has. */
export interface FoundChoices {
  readonly items: ReadonlyArray<SelectChoice>
  readonly total: number
}

export interface Search {
  readonly page_size: number
  readonly search?: string
}

export interface ChooseProps extends Pick<SearchMenuProps, "form" | "label" | "placeholder"> {
  readonly chosen: string | null
  readonly onChoose: (id: string, choice: SelectChoice | undefined) => void
  /** A first choice that stands for no row, such as "any". It is not shown while one searches. */
  readonly none?: SelectChoice
  /** Choices that are left out. */
  readonly without?: ReadonlyArray<string>
}

export interface ChooseFromProps extends ChooseProps {
  /** Prefix of the query keys: invalidating it reloads the choices. */
  readonly under: QueryKey
  readonly find: (search: Search, signal: AbortSignal) => Promise<FoundChoices>
  /** Reads the chosen item, which the search may not have found. */
  readonly get: (id: string, signal: AbortSignal) => Promise<SelectChoice>
}

const shown = 20
const staleTime = 60_000

export const ChooseFrom = ({ chosen, find, get, none, onChoose, under, without = [], ...menu }: ChooseFromProps) => {
  const [typed, setTyped] = useState("")
  const search = useSettled(typed.trim())
  const asked: Search = { page_size: shown, ...(search !== "" && { search }) }
  const found = useQuery({
    queryKey: [...under, { type: "choices", ...asked }],
    queryFn: ({ signal }) => find(asked, signal),
    placeholderData: keepPreviousData,
    staleTime,
  })
  const isOne = chosen !== null && chosen !== none?.id
  const one = useQuery({
    queryKey: [...under, { type: "choice", id: chosen }],
    queryFn: ({ signal }) => get(chosen ?? "", signal),
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

/** A page of a list as choices. */
export const found = <Item,>(
  { items, total }: { readonly items: ReadonlyArray<Item>; readonly total: number },
  toChoice: (item: Item) => SelectChoice,
): FoundChoices => ({ items: items.map((item) => toChoice(item)), total })
