/** One choice of more than a menu can hold: a search field above the choices that the server found. */
import { IconSearch } from "@tabler/icons-react"
import { useState } from "react"
import {
  Autocomplete,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  Select,
  SelectValue,
} from "react-aria-components"
import { SelectButton } from "./SelectButton.tsx"
import type { SelectChoice } from "./SelectMenu.tsx"
import "./SelectMenu.css"
import "./SearchMenu.css"

export interface SearchMenuProps {
  readonly label: string
  readonly chosen: string | null
  /** The word on the button: the choice itself need not be among those that were found. */
  readonly chosenWord: string | undefined
  /** What the search found; undefined while nothing has come yet. */
  readonly choices: ReadonlyArray<SelectChoice> | undefined
  /** How many more there are than `choices`. */
  readonly more: number
  readonly search: string
  readonly onSearch: (typed: string) => void
  readonly onChoose: (id: string) => void
  /** `chip`: in a row of filters, the label before the word. `field`: in a form, the label above. */
  readonly form?: "chip" | "field"
  readonly placeholder?: string
}

export const SearchMenu = ({
  choices,
  chosen,
  chosenWord,
  form = "chip",
  label,
  more,
  onChoose,
  onSearch,
  placeholder = "Choose one",
  search,
}: SearchMenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const open = (isNowOpen: boolean) => {
    setOpen(isNowOpen)
    if (!isNowOpen) onSearch("")
  }
  return (
    <Select
      className={`SelectMenu SelectMenu-${form}`}
      value={chosen}
      isOpen={isOpen}
      onOpenChange={open}
      onChange={(key) => key !== null && onChoose(String(key))}
    >
      <Label className={form === "field" ? "Field-label" : "unseen"}>{label}</Label>
      <SelectButton label={form === "chip" ? label : undefined}>
        <SelectValue className="SelectMenu-value">{() => chosenWord ?? placeholder}</SelectValue>
      </SelectButton>
      <Popover className="SelectMenu-popover SearchMenu-popover" offset={4}>
        <Autocomplete inputValue={search} onInputChange={onSearch}>
          <SearchField aria-label={`Find: ${label}`} className="SearchMenu-field" autoFocus>
            <IconSearch aria-hidden />
            <Input className="SearchMenu-input" placeholder="Type to search" />
          </SearchField>
          <ListBox
            className="SelectMenu-list SearchMenu-list"
            aria-label={label}
            items={choices ?? []}
            renderEmptyState={() => (
              <p className="SearchMenu-none">{choices === undefined ? "Searching…" : "No results."}</p>
            )}
          >
            {(choice) => (
              <ListBoxItem id={choice.id} textValue={choice.word} className="SelectMenu-item">
                {choice.word}
                {choice.note !== undefined && <span className="label">{choice.note}</span>}
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
        {more > 0 && <p className="SearchMenu-more label">{more} more. Type to narrow the list.</p>}
      </Popover>
    </Select>
  )
}
