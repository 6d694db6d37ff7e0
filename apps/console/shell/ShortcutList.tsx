/** The list that `?` opens: the page's shortcuts, and a switch that turns single letters off for speech input. */
import { useState } from "react"
import { Dialog } from "../ui/Dialog.tsx"
import { Key } from "../ui/Key.tsx"
import { Switch } from "../ui/Switch.tsx"
import { areLettersOff, printKeys, switchLetters, useShortcut, useShortcuts } from "./Shortcuts.ts"
import "./ShortcutList.css"

export const ShortcutList = () => {
  const [isOpen, setOpen] = useState(false)
  const [isOff, setOff] = useState(areLettersOff)
  const shortcuts = useShortcuts()
  useShortcut("?", "All keys of the page", () => setOpen(true))
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => setOpen(false)}>
      <dl className="ShortcutList">
        {[...new Map(shortcuts.map((shortcut) => [shortcut.keys, shortcut])).values()].map(({ keys, word }) => (
          <div key={keys}>
            <dt>{word}</dt>
            <dd>
              {printKeys(keys)
                .split(" ")
                .map((key) => (
                  <Key key={key}>{key}</Key>
                ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        isOn={!isOff}
        onChange={(isOn) => {
          switchLetters(!isOn)
          setOff(!isOn)
        }}
      >
        Single-letter shortcuts
      </Switch>
    </Dialog>
  )
}
