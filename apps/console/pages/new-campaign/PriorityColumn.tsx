/** The column of a list that says who is called first. */
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import type { ContactFile } from "./ContactFile.ts"

const none = { id: "none", word: "None: in the order of the list" }
const idOf = (at: number) => `column ${at}`

/** The server stores the priorities but not the column, so this tab keeps it for the draft's next list. */
const placeOf = (draft: string) => `parley.priority ${draft}`

export const rememberPriority = (draft: string, column: string): void => sessionStorage.setItem(placeOf(draft), column)

export const rememberedPriority = (draft: string): string => sessionStorage.getItem(placeOf(draft)) ?? ""

export interface PriorityColumnProps {
  readonly file: ContactFile
  /** Empty if no column is chosen. */
  readonly chosen: string
  readonly onChoose: (column: string) => void
}

export const PriorityColumn = ({ chosen, file, onChoose }: PriorityColumnProps) => {
  const columns = file.columns.filter((name) => name !== "phone_number")
  const at = columns.indexOf(chosen)
  return (
    <SelectMenu
      form="field"
      label="Who is called first: the column with whole numbers from 0 to 100"
      choices={[none, ...columns.map((word, at) => ({ id: idOf(at), word: `${word}, the highest first` }))]}
      chosen={at === -1 ? none.id : idOf(at)}
      onChoose={(id) => onChoose(columns.find((_, at) => idOf(at) === id) ?? "")}
    />
  )
}
