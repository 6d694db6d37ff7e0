/** Edits the arguments as JSON Schema. The form shows the same schema. */
import { useState } from "react"
import { Editor } from "../../editor/Editor.tsx"
import type { Json, ToolParts } from "./Tool.ts"

export const SchemaEditor = ({ draft, isFixed }: ToolParts & { readonly isFixed: boolean }) => {
  const [text, setText] = useState(() => JSON.stringify(draft.value.schema, null, 2))
  const [fault, setFault] = useState<string>()
  const type = (typed: string) => {
    setText(typed)
    try {
      const schema: unknown = JSON.parse(typed)
      if (typeof schema !== "object" || schema === null || Array.isArray(schema))
        return setFault("Must be a JSON object.")
      setFault(undefined)
      draft.set("schema", schema as Json)
    } catch (error) {
      setFault(error instanceof Error ? error.message : "This is not valid JSON.")
    }
  }
  return (
    <div className="Catalog-prompt">
      <Editor label="Arguments as a JSON Schema" language="json" value={text} onChange={type} isReadOnly={isFixed} />
      {fault !== undefined && <p className="Field-problem ToolForm-fault">{fault}</p>}
    </div>
  )
}
