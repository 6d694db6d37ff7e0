/** Shows the shortcut of a control. Screen readers get it from the control. */
import { printKeys } from "../shell/Shortcuts.ts"
import "./Key.css"

export const Key = ({ children }: { readonly children: string }) => (
  <kbd className="Key" aria-hidden>
    {printKeys(children)}
  </kbd>
)
