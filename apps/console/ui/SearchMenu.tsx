/** A menu with more choices than it can show: a search field above the choices that the server found. */
import { IconSearch } from "@tabler/icons-react"
import { useState } from "react"
import { Autocomplete, Input, SearchField } from "react-aria-components"
import { ChoiceList, ChoiceMenu, type ChoiceMenuProps, type SelectChoice } from "./ChoiceMenu.tsx"
import "./SearchMenu.css"

export interface SearchMenuProps extends Pick<ChoiceMenuProps, "label" | "chosen" | "chosenWord" | "onChoose"> {
  /** The results. Undefined until the first answer, and if `problem` is set. */
  readonly choices: ReadonlyArray<SelectChoice> | undefined
  /** The number of results beyond `choices`. */
  readonly more: number
  /** Why there are no results to show, as a sentence. */
  readonly problem: string | undefined
  readonly search: string
  readonly onSearch: (typed: string) => void
  readonly form?: ChoiceMenuProps["form"]
  readonly placeholder?: string
}

export const SearchMenu = (props: SearchMenuProps) => {
  const { choices, form = "chip", more, onSearch, placeholder = "Choose one", problem, search, ...menu } = props
  const [isOpen, setOpen] = useState(false)
  const open = (isNowOpen: boolean) => {
    setOpen(isNowOpen)
    if (!isNowOpen) onSearch("")
  }
  return (
    <ChoiceMenu
      {...menu}
      form={form}
      placeholder={placeholder}
      // Otherwise a click before the first answer would be lost.
      allowsEmptyCollection
      isOpen={isOpen}
      onOpenChange={open}
      popoverClass="SearchMenu-popover"
    >
      <Autocomplete inputValue={search} onInputChange={onSearch}>
        <SearchField aria-label={`Find: ${menu.label}`} className="SearchMenu-field" autoFocus>
          <IconSearch aria-hidden />
          <Input className="SearchMenu-input" placeholder="Type to search" />
        </SearchField>
        <ChoiceList
          className="SearchMenu-list"
          aria-label={menu.label}
          items={choices ?? []}
          renderEmptyState={() => (
            <p className="SearchMenu-none">{problem ?? (choices === undefined ? "Searching…" : "No results.")}</p>
          )}
        />
      </Autocomplete>
      {more > 0 && <p className="SearchMenu-more label">{more} more. Type to narrow the list.</p>}
    </ChoiceMenu>
  )
}
