/** A key of the keyboard, printed where it presses something. Screen readers hear of it from the control. */
import { printed } from "../shell/Shortcuts.ts"
import "./Key.css"

export const Key = ({ children }: { readonly children: string }) => (
  <kbd className="Key" aria-hidden>
    {printed(children)}
  </kbd>
)
