/** What every menu that searches the server shares: the text typed in it, and its answer as choices. */
import { keepPreviousData } from "@tanstack/react-query"
import { useState } from "react"
import { useSettled } from "../data/Settled.ts"
import type { SearchMenuProps } from "../ui/SearchMenu.tsx"
import type { SelectChoice } from "../ui/SelectMenu.tsx"

export interface ChooseProps extends Pick<SearchMenuProps, "form" | "label" | "placeholder"> {
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
  /** A first choice that stands for no row, such as "any". It is not shown while one searches. */
  readonly none?: SelectChoice
}

const shown = 20

interface Found<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

export const useChoosing = () => {
  const [search, setSearch] = useState("")
  const asked = useSettled(search.trim())
  return {
    search,
    onSearch: setSearch,
    input: { page_size: shown, ...(asked !== "" && { search: asked }) },
    options: { placeholderData: keepPreviousData, staleTime: 60_000 },
    isNarrowed: asked !== "",
  }
}

export const choicesOf = <Item>(
  found: Found<Item> | undefined,
  none: SelectChoice | undefined,
  toChoice: (item: Item) => SelectChoice,
) =>
  found === undefined
    ? { choices: undefined, more: 0 }
    : {
        choices: [...(none === undefined ? [] : [none]), ...found.items.map(toChoice)],
        more: found.total - found.items.length,
      }
