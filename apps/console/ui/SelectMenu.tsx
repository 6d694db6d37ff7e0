/** A menu to choose one of many, such as `Agent: any`. */
import { ChoiceList, ChoiceMenu, type ChoiceMenuProps, type SelectChoice } from "./ChoiceMenu.tsx"

export interface SelectMenuProps extends Pick<ChoiceMenuProps, "label" | "chosen" | "onChoose" | "placeholder"> {
  readonly choices: ReadonlyArray<SelectChoice>
  readonly form?: ChoiceMenuProps["form"]
}

export const SelectMenu = ({ choices, chosen, form = "chip", ...menu }: SelectMenuProps) => (
  <ChoiceMenu {...menu} form={form} chosen={chosen} chosenWord={choices.find(({ id }) => id === chosen)?.word}>
    <ChoiceList items={choices} />
  </ChoiceMenu>
)
