/** The tool's code, with remarks on it while it is typed. */
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react"
import { useMemo, useState } from "react"
import { capitalize } from "../../data/Checks.ts"
import { Editor } from "../../editor/Editor.tsx"
import type { PythonShape } from "../../editor/PythonLanguage.ts"
import { Panel } from "../../ui/Panel.tsx"
import type { ToolParts } from "./Tool.ts"
import { useToolTries } from "./ToolTries.ts"

export const PythonPanel = ({ draft, mayChange, problems, tool }: ToolParts) => {
  const [shape, setShape] = useState<PythonShape>()
  const code = draft.value.implementation_code ?? ""
  const [last] = useToolTries(tool.id)
  const refused = problems["implementation_code"]
  const faults = useMemo(() => {
    const refusedLine = /line (\d+)/.exec(refused ?? "")?.[1]
    return [
      ...(shape?.brokenLine === undefined ? [] : [{ line: shape.brokenLine, text: "Python can’t parse this line." }]),
      ...(refused !== undefined && refusedLine !== undefined
        ? [{ line: Number(refusedLine), text: capitalize(refused) }]
        : []),
      // The line on which the last run failed, while the code is unchanged.
      ...(last?.line !== undefined && last.code === code ? [{ line: last.line, text: last.error?.message ?? "" }] : []),
    ]
  }, [shape, refused, last, code])
  const { isGood, word } = shapeWord(shape)
  return (
    <Panel
      title={
        <>
          Code
          {shape !== undefined && (
            <span className={`ToolPage-check ${isGood ? "Agent-good" : "Agent-bad"}`}>
              {isGood ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
              {word}
            </span>
          )}
        </>
      }
      aside="Python · sandbox: no network, 10 s, 256 MB"
    >
      <Editor
        label="Code"
        language="python"
        value={code}
        onChange={(typed) => draft.set("implementation_code", typed)}
        isReadOnly={!mayChange}
        faults={faults}
        onShape={setShape}
      />
      {refused !== undefined && <p className="Field-problem ToolForm-fault">{capitalize(refused)}</p>}
    </Panel>
  )
}

/** The server requires exactly one top-level function with two parameters. */
const shapeWord = (shape: PythonShape | undefined): { readonly isGood: boolean; readonly word: string } => {
  if (shape === undefined) return { isGood: true, word: "" }
  if (shape.brokenLine !== undefined) return { isGood: false, word: `line ${shape.brokenLine} does not parse` }
  const [only] = shape.functions
  if (only === undefined) return { isGood: false, word: "no function" }
  if (shape.functions.length > 1)
    return { isGood: false, word: `${shape.functions.length} functions; exactly one is needed` }
  return only.parameters === 2
    ? { isGood: true, word: "one function with two parameters" }
    : { isGood: false, word: `${only.name} takes ${only.parameters}, but must take (arguments, context)` }
}
