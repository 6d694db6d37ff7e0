/** A menu of the dispositions of an agent, as a filter. Not shown if there are none. */
import { any } from "../data/Filters.ts"
import type { DispositionCount } from "../data/Dispositions.ts"
import { SelectMenu } from "../ui/SelectMenu.tsx"

export interface ChooseDispositionProps {
  readonly dispositions: ReadonlyArray<Pick<DispositionCount, "key" | "label">>
  /** The key in the URL, which may be one that the agent does not have. */
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}

export const ChooseDisposition = ({ chosen, dispositions, onChoose }: ChooseDispositionProps) => {
  if (dispositions.length === 0 && chosen === undefined) return null
  const unknown = chosen === undefined || dispositions.some(({ key }) => key === chosen) ? [] : [chosen]
  return (
    <SelectMenu
      label="Disposition"
      chosen={chosen ?? any.id}
      choices={[
        any,
        ...dispositions.map(({ key, label }) => ({ id: key, word: label })),
        ...unknown.map((key) => ({ id: key, word: key })),
      ]}
      onChoose={onChoose}
    />
  )
}
