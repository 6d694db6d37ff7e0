/** One choice of many, such as `Agent: any`. */
import { ChoiceList, ChoiceMenu, type ChoiceMenuProps, type SelectChoice } from "./ChoiceMenu.tsx"

export interface SelectMenuProps extends Pick<ChoiceMenuProps, "label" | "chosen" | "onChoose" | "placeholder"> {
  /** Undefined until they have come: a menu of nothing does not open, and the button says so. */
  readonly choices: ReadonlyArray<SelectChoice> | undefined
  readonly form?: ChoiceMenuProps["form"]
}

export const SelectMenu = ({ choices, chosen, form = "chip", placeholder, ...menu }: SelectMenuProps) => (
  <ChoiceMenu
    {...menu}
    form={form}
    chosen={chosen}
    chosenWord={choices?.find(({ id }) => id === chosen)?.word}
    {...(choices === undefined ? { placeholder: "One moment…" } : placeholder !== undefined && { placeholder })}
  >
    <ChoiceList items={choices ?? []} />
  </ChoiceMenu>
)
