/** One choice of many, such as `Agent: any`. */
import type { ReactNode } from "react"
import { Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components"
import { SelectButton } from "./SelectButton.tsx"
import "./SelectMenu.css"

export interface SelectChoice {
  readonly id: string
  readonly word: string
  /** Below the word, in the second line's size. */
  readonly note?: ReactNode
}

export interface SelectMenuProps {
  readonly label: string
  /** Undefined until they have come: a menu of nothing does not open, and the button says so. */
  readonly choices: ReadonlyArray<SelectChoice> | undefined
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
  /** `chip`: in a row of filters, the label before the word. `plain`: without it. `field`: in a form, the label above. */
  readonly form?: "chip" | "plain" | "field"
  readonly placeholder?: string
}

export const SelectMenu = ({ choices, chosen, form = "chip", label, onChoose, placeholder }: SelectMenuProps) => (
  <Select
    className={`SelectMenu SelectMenu-${form === "plain" ? "chip" : form}`}
    value={chosen}
    onChange={(key) => key !== null && onChoose(String(key))}
    {...(choices === undefined ? { placeholder: "One moment…" } : placeholder !== undefined && { placeholder })}
  >
    <Label className={form === "field" ? "Field-label" : "unseen"}>{label}</Label>
    <SelectButton label={form === "chip" ? label : undefined}>
      <SelectValue className="SelectMenu-value">
        {({ defaultChildren, isPlaceholder }) =>
          isPlaceholder ? defaultChildren : (choices?.find(({ id }) => id === chosen)?.word ?? defaultChildren)
        }
      </SelectValue>
    </SelectButton>
    <Popover className="SelectMenu-popover" offset={4}>
      <ListBox className="SelectMenu-list" items={choices ?? []}>
        {(choice) => (
          <ListBoxItem id={choice.id} textValue={choice.word} className="SelectMenu-item">
            {choice.word}
            {choice.note !== undefined && <span className="label">{choice.note}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </Select>
)
