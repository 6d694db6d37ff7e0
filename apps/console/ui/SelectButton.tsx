/** The button of a menu of choices. Its name is the text on it, so that users of speech input can say what they read. */
import { IconChevronDown } from "@tabler/icons-react"
import { type ReactNode, useId } from "react"
import { Button } from "react-aria-components"
import "./SelectMenu.css"

export interface SelectButtonProps {
  /** Shown before the choice. Undefined if the label is shown elsewhere. */
  readonly label: string | undefined
  /** The choice. */
  readonly children: ReactNode
}

export const SelectButton = ({ children, label }: SelectButtonProps) => {
  const words = useId()
  return (
    // Without this name screen readers would read the choice first: "any Outcome".
    <Button className="SelectMenu-button" {...(label !== undefined && { "aria-labelledby": words })}>
      <span id={words} className="SelectMenu-words">
        {label !== undefined && `${label}: `}
        {children}
      </span>
      <IconChevronDown aria-hidden />
    </Button>
  )
}
