/** The variables of a trial. They start with the chosen contact's values, which the user can replace. */
import { IconRefresh } from "@tabler/icons-react"
import { variablesIn } from "../../editor/Variables.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import type { TrialContacts } from "./TrialContacts.ts"

/** Variables that each call sets itself. */
const given = new Set(["", "phone_number", "now"])

/** The columns of the contact list, and the other variables that the texts use. */
const namesOf = (columns: ReadonlyArray<string>, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...columns, ...texts.flatMap(variablesIn).map(({ name }) => name)])].filter(
    (name) => !given.has(name) && !name.includes("."),
  )

export interface TrialVariablesProps {
  readonly contacts: TrialContacts
  readonly texts: ReadonlyArray<string>
  readonly onBegin: () => void
}

export const TrialVariables = ({ contacts, onBegin, texts }: TrialVariablesProps) => {
  const names = namesOf(contacts.columns, texts)
  if (names.length === 0) return null
  return (
    <details className="Try-variables">
      <summary>Variables</summary>
      <form
        className="Try-fields"
        onSubmit={(event) => {
          event.preventDefault()
          onBegin()
        }}
      >
        {names.map((name) => (
          <Field
            key={name}
            label={<span className="mono">{name}</span>}
            value={contacts.variables[name] ?? ""}
            onChange={(value) => contacts.fill(name, value)}
          />
        ))}
        <p className="second-line">The next answer uses them. The first words need a new chat.</p>
        <div>
          <Button type="submit" size="row" icon={<IconRefresh aria-hidden />}>
            Begin with these
          </Button>
        </div>
      </form>
    </details>
  )
}
