/** A choice among a few options, each with a label and, if needed, a line about it. */
import type { ReactNode } from "react"
import { Label, Radio as AriaRadio, RadioGroup } from "react-aria-components"
import "./Radio.css"
import "./Table.css"

export interface RadioProps<Value extends string> {
  readonly label: string
  readonly isLabelSeen?: boolean
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
  readonly choices: ReadonlyArray<{ readonly value: Value; readonly word: ReactNode; readonly note?: ReactNode }>
}

export const Radios = <Value extends string>({ choices, chosen, isLabelSeen, label, onChoose }: RadioProps<Value>) => (
  <RadioGroup className="Radios" value={chosen} onChange={(value) => onChoose(value as Value)}>
    <Label className={isLabelSeen ? "Field-label" : "unseen"}>{label}</Label>
    {choices.map(({ note, value, word }) => (
      <AriaRadio key={value} value={value} className="Radio">
        <span className="Radio-ring" />
        <span>
          {word}
          {note !== undefined && <span className="Table-second">{note}</span>}
        </span>
      </AriaRadio>
    ))}
  </RadioGroup>
)
