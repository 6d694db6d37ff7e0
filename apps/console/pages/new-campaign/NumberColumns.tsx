/** The columns of a list with further numbers of the same person. */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components"
import { mostAdditional } from "../../../../src/domain/AdditionalNumbers.ts"
import type { ContactFile } from "./ContactFile.ts"
import "../../ui/FilterChips.css"

/** The server stores the numbers but not the columns, so this tab keeps them for the draft's next list. */
const placeOf = (draft: string) => `parley.numbers ${draft}`

export const rememberNumbers = (draft: string, columns: ReadonlyArray<string>): void =>
  sessionStorage.setItem(placeOf(draft), JSON.stringify(columns))

export const rememberedNumbers = (draft: string): ReadonlyArray<string> =>
  JSON.parse(sessionStorage.getItem(placeOf(draft)) ?? "[]") as ReadonlyArray<string>

export interface NumberColumnsProps {
  readonly file: ContactFile
  /** In the order in which they are called. */
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (columns: ReadonlyArray<string>) => void
}

/** Columns with a number in most of their cells that are not blank. */
const candidatesOf = ({ columns, rows }: ContactFile): ReadonlyArray<string> =>
  columns.filter((name, at) => {
    if (name === "phone_number") return false
    const cells = rows.slice(0, rowsRead).flatMap((row) => row[at]?.trim() || [])
    return (
      cells.length > 0 && cells.filter((cell) => /^\+?[0-9(][0-9 ().\-/]{5,20}$/u.test(cell)).length * 2 > cells.length
    )
  })
const rowsRead = 200

/** Shows nothing if no other column has numbers. */
export const NumberColumns = ({ chosen, file, onChoose }: NumberColumnsProps) => {
  const candidates = candidatesOf(file)
  if (candidates.length === 0) return null
  return (
    <div className="Field">
      <span className="Field-label">Further numbers of the same person, in the order in which they are called</span>
      <ToggleButtonGroup
        aria-label="Further numbers"
        className="FilterChips"
        selectionMode="multiple"
        selectedKeys={chosen}
        onSelectionChange={(keys) => {
          const kept = chosen.filter((name) => keys.has(name))
          onChoose([...kept, ...candidates.filter((name) => keys.has(name) && !kept.includes(name))])
        }}
      >
        {candidates.map((name) => (
          <ToggleButton
            key={name}
            id={name}
            className="FilterChips-chip"
            isDisabled={chosen.length >= mostAdditional && !chosen.includes(name)}
          >
            {chosen.includes(name) && chosen.length > 1 ? `${chosen.indexOf(name) + 1}. ${name}` : name}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </div>
  )
}
