/** One argument: its name, its type, and its description for the model. */
import { type SubmitEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { CancelButton, Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { Field } from "../../ui/Field.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { type Argument, choicesOf, textOf } from "./Tool.ts"

const kinds = [
  { id: "string", word: "Text" },
  { id: "date", word: "Date" },
  { id: "choice", word: "One of a few" },
  { id: "number", word: "Number" },
  { id: "integer", word: "Whole number" },
  { id: "boolean", word: "Yes or no" },
  { id: "array", word: "List" },
  { id: "object", word: "Object" },
]

const kindOf = (argument: Argument | undefined): string => {
  if (argument === undefined) return "string"
  if (choicesOf(argument).length > 0) return "choice"
  return argument.schema["format"] === "date" ? "date" : textOf(argument.schema["type"]) || "string"
}

const schemaOf = (kind: string, choices: ReadonlyArray<string>): Record<string, unknown> => {
  if (kind === "date") return { type: "string", format: "date" }
  return kind === "choice" ? { type: "string", enum: choices } : { type: kind }
}

export interface ArgumentFormProps {
  readonly argument: Argument | undefined
  readonly taken: ReadonlyArray<string>
  readonly onSave: (argument: Argument) => void
  readonly onClose: () => void
}

export const ArgumentForm = ({ argument, onClose, onSave, taken }: ArgumentFormProps) => {
  const before = kindOf(argument)
  const [name, setName] = useState(argument?.name ?? "")
  const [kind, setKind] = useState(before)
  const [choices, setChoices] = useState(() => (argument === undefined ? "" : choicesOf(argument).join(", ")))
  const [description, setDescription] = useState(textOf(argument?.schema["description"]))
  const [isRequired, setRequired] = useState(argument?.isRequired ?? true)
  const [isTried, setTried] = useState(false)
  const list = choices
    .split(",")
    .map((choice) => choice.trim())
    .filter((choice) => choice !== "")
  const nameProblem = !/^[A-Za-z_]\w*$/.test(name)
    ? "Must be letters, digits and _, beginning with a letter."
    : taken.includes(name)
      ? `There is an argument ${name} already.`
      : undefined
  const choiceProblem = kind === "choice" && list.length === 0 ? "Must name at least one." : undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (nameProblem !== undefined || choiceProblem !== undefined) return
    const { description: _, ...kept } = argument?.schema ?? {}
    const same = kind === before && kind !== "choice" && argument !== undefined
    onSave({
      name,
      isRequired,
      schema: { ...(same ? kept : schemaOf(kind, list)), ...(description !== "" && { description }) },
    })
  }
  return (
    <Dialog title={argument === undefined ? "Add an argument" : argument.name} isOpen onClose={onClose}>
      <form noValidate onSubmit={submit} className="Form">
        <Field
          label="Name"
          isMono
          autoFocus
          value={name}
          onChange={setName}
          problem={isTried ? nameProblem : undefined}
        />
        <SelectMenu label="Type" form="field" choices={kinds} chosen={kind} onChoose={setKind} />
        {kind === "choice" && (
          <Field
            label="Choices"
            isMono
            hint="Separated by commas."
            value={choices}
            onChange={setChoices}
            problem={isTried ? choiceProblem : undefined}
          />
        )}
        <Field label="Description for the model" rows={2} value={description} onChange={setDescription} />
        <Switch isOn={isRequired} onChange={setRequired}>
          Required
        </Switch>
        <DialogActs>
          <Button type="submit" look="primary">
            {argument === undefined ? "Add it" : "Change it"}
          </Button>
          <CancelButton onPress={onClose} />
        </DialogActs>
      </form>
    </Dialog>
  )
}
