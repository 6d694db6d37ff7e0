/** The arguments one by one, each with a form to change it. Parts of the schema that the form lacks stay unchanged. */
import { IconPlus } from "@tabler/icons-react"
import { useState } from "react"
import { Button as AriaButton } from "react-aria-components"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { ArgumentForm } from "./ArgumentForm.tsx"
import { type Argument, argumentsOf, choicesOf, textOf, type ToolParts, typeWord, withArguments } from "./Tool.ts"

export const ArgumentList = ({ draft, isFixed }: ToolParts & { readonly isFixed: boolean }) => {
  const all = argumentsOf(draft.value.schema)
  const [open, setOpen] = useState<number>()
  const set = (next: ReadonlyArray<Argument>) => draft.set("schema", withArguments(draft.value.schema, next))
  const move = (at: number, by: number) => {
    const [moved] = all.slice(at, at + 1)
    if (moved !== undefined) set(all.toSpliced(at, 1).toSpliced(at + by, 0, moved))
  }
  return (
    <div className="ArgumentList">
      {all.length === 0 && <p className="second-line ArgumentList-one">No arguments.</p>}
      {all.map((argument, at) => (
        <div key={argument.name} className="ArgumentList-one">
          <div className="ArgumentList-head">
            <span className="mono name">{argument.name}</span>
            <Tag>{typeWord(argument)}</Tag>
            <span className="second-line">{argument.isRequired ? "required" : "optional"}</span>
            {!isFixed && (
              <span className="ArgumentList-menu">
                <ActionMenu
                  label={`Actions for ${argument.name}`}
                  actions={[
                    { id: "change", word: "Change", onAct: () => setOpen(at) },
                    {
                      id: "required",
                      word: argument.isRequired ? "Make it optional" : "Make it required",
                      onAct: () => set(all.with(at, { ...argument, isRequired: !argument.isRequired })),
                    },
                    ...(at > 0 ? [{ id: "up", word: "Move up", onAct: () => move(at, -1) }] : []),
                    ...(at < all.length - 1 ? [{ id: "down", word: "Move down", onAct: () => move(at, 1) }] : []),
                    { id: "remove", word: "Remove", isStop: true, onAct: () => set(all.toSpliced(at, 1)) },
                  ]}
                />
              </span>
            )}
          </div>
          <p className="second-line">{textOf(argument.schema["description"])}</p>
          {choicesOf(argument).length > 0 && (
            <p className="ArgumentList-choices">
              {choicesOf(argument).map((choice) => (
                <Tag key={choice}>
                  <span className="mono">{choice}</span>
                </Tag>
              ))}
            </p>
          )}
        </div>
      ))}
      {!isFixed && (
        <AriaButton className="ArgumentList-add" onPress={() => setOpen(all.length)}>
          <IconPlus aria-hidden />
          Add an argument
        </AriaButton>
      )}
      {open !== undefined && (
        <ArgumentForm
          argument={all[open]}
          taken={all.filter((_, at) => at !== open).map(({ name }) => name)}
          onSave={(argument) => {
            set(open < all.length ? all.with(open, argument) : [...all, argument])
            setOpen(undefined)
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  )
}
