/** A link that looks like a button. It can be opened in a new tab like every link. */
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, ReactNode } from "react"
import { buttonClass, type ButtonLook } from "./Button.tsx"
import { Key } from "./Key.tsx"

interface LinkButtonProps extends AnchorHTMLAttributes<HTMLAnchorElement>, ButtonLook {
  readonly icon?: ReactNode
  readonly shortcut?: string
}

const Anchor = ({ children, icon, look, shortcut, size, ...rest }: LinkButtonProps) => (
  <a {...rest} className={buttonClass({ ...(look && { look }), ...(size && { size }) })}>
    {icon}
    {children}
    {shortcut !== undefined && <Key>{shortcut}</Key>}
  </a>
)

export const LinkButton = createLink(Anchor)
