/** The frame of every menu of choices: its label, the button with the choice, and the list that opens. */
import type { ReactNode } from "react"
import {
  Label,
  ListBox,
  ListBoxItem,
  type ListBoxProps,
  Popover,
  Select,
  type SelectProps,
  SelectValue,
} from "react-aria-components"
import { SelectButton } from "./SelectButton.tsx"
import "./SelectMenu.css"

export interface SelectChoice {
  readonly id: string
  readonly word: string
  /** Shown beside the word, in the size of a second line. */
  readonly note?: ReactNode
}

export interface ChoiceMenuProps extends Pick<
  SelectProps<object>,
  "allowsEmptyCollection" | "isOpen" | "onOpenChange" | "placeholder"
> {
  readonly label: string
  readonly chosen: string | null
  /** The word on the button. Undefined while nothing is chosen or the word is not loaded. */
  readonly chosenWord: string | undefined
  readonly onChoose: (id: string) => void
  /** `chip`: in a row of filters, the label before the word. `plain`: no label. `field`: in a form, the label above. */
  readonly form: "chip" | "plain" | "field"
  readonly popoverClass?: string
  /** The list that opens. */
  readonly children: ReactNode
}

export const ChoiceMenu = (props: ChoiceMenuProps) => {
  const { children, chosen, chosenWord, form, label, onChoose, popoverClass = "", ...select } = props
  return (
    <Select
      {...select}
      className={`SelectMenu SelectMenu-${form === "plain" ? "chip" : form}`}
      value={chosen}
      onChange={(key) => key !== null && onChoose(String(key))}
    >
      <Label className={form === "field" ? "Field-label" : "unseen"}>{label}</Label>
      <SelectButton label={form === "chip" ? label : undefined}>
        <SelectValue className="SelectMenu-value">
          {({ defaultChildren }) => chosenWord ?? select.placeholder ?? defaultChildren}
        </SelectValue>
      </SelectButton>
      <Popover className={`SelectMenu-popover ${popoverClass}`} offset={4}>
        {children}
      </Popover>
    </Select>
  )
}

export const ChoiceList = ({
  className = "",
  ...list
}: ListBoxProps<SelectChoice> & { readonly className?: string }) => (
  <ListBox {...list} className={`SelectMenu-list ${className}`}>
    {(choice) => (
      <ListBoxItem id={choice.id} textValue={choice.word} className="SelectMenu-item">
        {choice.word}
        {choice.note !== undefined && <span className="label">{choice.note}</span>}
      </ListBoxItem>
    )}
  </ListBox>
)
