/** Two ways to see and edit the same thing, such as a form and its JSON. */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components"
import "./FilterChips.css"

export interface WaysProps<Way extends string> {
  readonly label: string
  readonly ways: ReadonlyArray<{ readonly way: Way; readonly word: string }>
  readonly chosen: Way
  readonly onChoose: (way: Way) => void
}

export const Ways = <Way extends string>({ chosen, label, onChoose, ways }: WaysProps<Way>) => (
  <ToggleButtonGroup
    className="FilterChips"
    aria-label={label}
    disallowEmptySelection
    selectedKeys={[chosen]}
    onSelectionChange={(keys) => {
      const next = ways.find(({ way }) => keys.has(way))
      if (next !== undefined) onChoose(next.way)
    }}
  >
    {ways.map(({ way, word }) => (
      <ToggleButton key={way} id={way} className="FilterChips-chip">
        {word}
      </ToggleButton>
    ))}
  </ToggleButtonGroup>
)
