/** A press: the four weights of the design, 30 px high, 24 in a row, 44 on small screens. */
import type { ReactNode } from "react"
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components"
import { Key } from "./Key.tsx"
import "./Button.css"

export interface ButtonLook {
  /** `primary`: the one act of the page. `stop`: ends something, asks first. `danger`: ends it now. `quiet`: no border. */
  readonly look?: "primary" | "second" | "stop" | "danger" | "quiet"
  readonly size?: "row" | "normal" | "large"
}

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "children" | "style">, ButtonLook {
  readonly icon?: ReactNode
  /** The key that does the same, as it is printed. */
  readonly shortcut?: string
  readonly children?: ReactNode
}

export const buttonClass = ({ look = "second", size = "normal" }: ButtonLook) => `Button Button-${look} Button-${size}`

export const Button = ({ children, icon, look, shortcut, size, ...rest }: ButtonProps) => (
  <AriaButton {...rest} className={buttonClass({ ...(look && { look }), ...(size && { size }) })}>
    {icon}
    {children}
    {shortcut !== undefined && <Key>{shortcut}</Key>}
  </AriaButton>
)
