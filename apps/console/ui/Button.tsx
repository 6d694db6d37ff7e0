/** A button in the design's weights: 30 px high, 24 px in a row, 44 px on small screens. */
import { type ReactNode, useState } from "react"
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components"
import { Key } from "./Key.tsx"
import "./Button.css"

export interface ButtonLook {
  /**
   * `primary`: the page's main action. `stop`: ends something, asks first. `danger`: ends it now. `quiet`: no border.
   */
  readonly look?: "primary" | "second" | "stop" | "danger" | "quiet"
  readonly size?: "row" | "normal" | "large"
}

export interface ButtonProps
  extends Omit<AriaButtonProps, "className" | "children" | "style" | "isPending" | "onFocusChange">, ButtonLook {
  readonly icon?: ReactNode
  /** The equivalent shortcut, as displayed. */
  readonly shortcut?: string
  readonly children?: ReactNode
}

export const buttonClass = ({ look = "second", size = "normal" }: ButtonLook) => `Button Button-${look} Button-${size}`

/**
 * A button that becomes disabled while it has the focus keeps the focus and cannot be pressed. Otherwise the browser
 * would move the focus to the page: the keyboard would start from the top, and a dialog would not receive Escape. React
 * Aria's `isPending` does the same but announces the button's name, even after the button has gone with its dialog.
 */
export const Button = ({
  children,
  icon,
  isDisabled = false,
  look,
  onPress,
  shortcut,
  size,
  type,
  ...rest
}: ButtonProps) => {
  const [isFocused, setFocused] = useState(false)
  const isHeld = isDisabled && isFocused
  const acts = isHeld
    ? ({ "aria-disabled": true, "data-held": "", type: "button" } as const)
    : { ...(onPress && { onPress }), ...(type && { type }) }
  return (
    <AriaButton
      {...rest}
      {...acts}
      isDisabled={isDisabled && !isFocused}
      onFocusChange={setFocused}
      className={buttonClass({ ...(look && { look }), ...(size && { size }) })}
    >
      {icon}
      {children}
      {shortcut !== undefined && <Key>{shortcut}</Key>}
    </AriaButton>
  )
}
