/** The box in the top bar that opens the command list, whose code loads at its first use. */
import { IconSearch } from "@tabler/icons-react"
import { lazy, Suspense, useState } from "react"
import { Button } from "react-aria-components"
import { Key } from "../ui/Key.tsx"
import { useShortcut } from "./Shortcuts.ts"
import "./CommandBox.css"

const CommandList = lazy(async () => ({ default: (await import("./CommandList.tsx")).CommandList }))

export const CommandBox = () => {
  const [isOpen, setOpen] = useState(false)
  useShortcut("⌘K", "Find or do anything", () => setOpen(true))
  return (
    <>
      <Button className="CommandBox" onPress={() => setOpen(true)}>
        <IconSearch aria-hidden />
        <span className="CommandBox-word">Find or do anything</span>
        <Key>⌘K</Key>
      </Button>
      {isOpen && (
        <Suspense>
          <CommandList onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
