/** Shown for a list without a `phone_number` column: lists its columns, and lets the user choose one of them. */
import { IconAlertTriangle } from "@tabler/icons-react"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import type { ContactFile } from "./ContactFile.ts"
import "./Notes.css"

export const MissingColumn = ({
  file,
  onUse,
}: {
  readonly file: ContactFile
  readonly onUse: (column: string) => void
}) => (
  <div className="Note" role="alert">
    <IconAlertTriangle className="Note-stop" aria-hidden />
    <div className="Note-words">
      <p>The file has no column phone_number. It has: {file.columns.join(", ")}.</p>
      <SelectMenu
        label="Use"
        placeholder="a column for it"
        chosen={null}
        choices={file.columns.map((column) => ({ id: column, word: column }))}
        onChoose={onUse}
      />
    </div>
  </div>
)
