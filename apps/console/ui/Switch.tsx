/** A switch that takes effect at once. */
import type { ReactNode } from "react"
import { Switch as AriaSwitch } from "react-aria-components"
import "./Switch.css"

export interface SwitchProps {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly isDisabled?: boolean
  /** The name for screen readers, if the switch shows no word. */
  readonly label?: string
  readonly children?: ReactNode
}

export const Switch = ({ children, isDisabled = false, isOn, label, onChange }: SwitchProps) => (
  <AriaSwitch
    className="Switch"
    isSelected={isOn}
    onChange={onChange}
    isDisabled={isDisabled}
    {...(label !== undefined && { "aria-label": label })}
  >
    <span className="Switch-track" />
    {children}
  </AriaSwitch>
)
