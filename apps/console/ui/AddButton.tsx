/** The button that creates an item of the page's list. `N` does the same. */
import { IconPlus } from "@tabler/icons-react"
import { useShortcut } from "../shell/Shortcuts.ts"
import { Button } from "./Button.tsx"

export interface AddButtonProps {
  /** "New agent" */
  readonly word: string
  /** The button's text if it is shorter than `word`, such as "Add" below a title that says the rest. */
  readonly shown?: string
  readonly onAdd: () => void
}

export const AddButton = ({ onAdd, shown, word }: AddButtonProps) => {
  useShortcut("N", word, onAdd)
  return (
    <Button look="primary" icon={<IconPlus aria-hidden />} shortcut="N" onPress={onAdd}>
      {shown ?? word}
    </Button>
  )
}
