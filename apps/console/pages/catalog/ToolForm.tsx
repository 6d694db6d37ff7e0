/** The part of the tool that the model sees: its label, when to use it, its arguments, and a preview. */
import { useMemo, useState } from "react"
import { capitalize, problemAt } from "../../data/Checks.ts"
import { DraftField } from "../../ui/DraftField.tsx"
import { Field } from "../../ui/Field.tsx"
import { Ways } from "../../ui/Ways.tsx"
import { ArgumentList } from "./ArgumentList.tsx"
import { SchemaEditor } from "./SchemaEditor.tsx"
import { Signature } from "./Signature.tsx"
import type { ToolParts } from "./Tool.ts"

const ways = [
  { way: "form", word: "Form" },
  { way: "schema", word: "JSON Schema" },
] as const

export const ToolForm = (parts: ToolParts) => {
  const { draft, mayChange, problems, tool } = parts
  const [isSchema, setSchema] = useState(false)
  const { description, name, schema, tags } = draft.value
  const isFixed = !mayChange
  const schemaProblems = useMemo(
    () => Object.entries(problems).filter(([field]) => field === "schema" || field.startsWith("schema/")),
    [problems],
  )
  return (
    <section className="Panel ToolForm" aria-label="What the model is told">
      <DraftField form={parts} name="display_name" label="Label" />
      <DraftField
        form={parts}
        name="description"
        label="When should the agent use it?"
        rows={2}
        hint={`The model reads this sentence to decide. ${lengthWord(description)}`}
      />
      <div>
        <div className="ToolForm-arguments">
          <h2 className="panel-title">Arguments</h2>
          <Ways
            label="How the arguments are shown"
            ways={ways}
            chosen={isSchema ? "schema" : "form"}
            onChoose={(way) => setSchema(way === "schema")}
          />
        </div>
        {isSchema ? (
          <SchemaEditor {...parts} isFixed={isFixed || tool.is_default} />
        ) : (
          <ArgumentList {...parts} isFixed={isFixed || tool.is_default} />
        )}
        {schemaProblems.map(([field, problem]) => (
          <p key={field} className="Field-problem">
            {field === "schema" ? "" : `${field.replace("schema/", "")}: `}
            {capitalize(problem)}
          </p>
        ))}
      </div>
      <div>
        <h2 className="panel-title">What the model sees</h2>
        <Signature name={name} schema={schema} />
      </div>
      <details className="ToolForm-more">
        <summary className="second-line">Name, category and tags</summary>
        <div className="Form">
          <DraftField form={parts} name="name" label="Name" isMono isReadOnly={tool.is_default} />
          <DraftField form={parts} name="category" label="Category" />
          <Field
            label="Tags"
            hint="Separated by commas."
            defaultValue={tags.join(", ")}
            isReadOnly={isFixed}
            onChange={(typed) =>
              draft.set(
                "tags",
                typed
                  .split(",")
                  .map((tag) => tag.trim())
                  .filter((tag) => tag !== ""),
              )
            }
            problem={problemAt(problems, "tags")}
          />
        </div>
      </details>
    </section>
  )
}

/** The model decides by the description. A short one says too little, a long one hides the important part. */
const lengthWord = (description: string): string => {
  const words = description.split(/\s+/).filter((word) => word !== "").length
  const length = words === 1 ? "1 word" : `${words} words`
  if (words < 5) return `${length}, too short to decide by.`
  return words > 80 ? `${length}, long: the first sentence counts most.` : `${length}, clear.`
}
