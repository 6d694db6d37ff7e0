/** The button of a menu of choices: its name is made of the words on it, so that people can say what they read. */
import { IconChevronDown } from "@tabler/icons-react"
import { type ReactNode, useId } from "react"
import { Button } from "react-aria-components"
import "./SelectMenu.css"

export interface SelectButtonProps {
  /** Printed before the choice; undefined where the label stands elsewhere. */
  readonly label: string | undefined
  /** The choice. */
  readonly children: ReactNode
}

export const SelectButton = ({ children, label }: SelectButtonProps) => {
  const words = useId()
  return (
    // Without a name of its own the button would be called by its choice first: "any Outcome".
    <Button className="SelectMenu-button" {...(label !== undefined && { "aria-labelledby": words })}>
      <span id={words} className="SelectMenu-words">
        {label !== undefined && `${label}: `}
        {children}
      </span>
      <IconChevronDown aria-hidden />
    </Button>
  )
}
