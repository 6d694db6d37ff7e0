/** Saves the changes of a page; `⌘S` does the same. */
import type { Draft } from "../data/Draft.ts"
import type { Saving } from "../data/Saving.ts"
import { useShortcut } from "../shell/Shortcuts.ts"
import { Button } from "./Button.tsx"

export interface SaveButtonProps {
  readonly saving: Saving
  readonly draft: Pick<Draft<object>, "isDirty">
  /** "Save as v15" */
  readonly word?: string
}

export const SaveButton = ({ draft, saving, word = "Save" }: SaveButtonProps) => {
  // The page shows the refusal.
  const press = () => void saving.save().catch(() => undefined)
  useShortcut("⌘S", word, press, draft.isDirty)
  return (
    <Button look="primary" shortcut="⌘S" isDisabled={!draft.isDirty || saving.isBusy} onPress={press}>
      {word}
    </Button>
  )
}
