/** A key of the keyboard, printed where it presses something. Screen readers hear of it from the control. */
import { printKeys } from "../shell/Shortcuts.ts"
import "./Key.css"

export const Key = ({ children }: { readonly children: string }) => (
  <kbd className="Key" aria-hidden>
    {printKeys(children)}
  </kbd>
)
