/** Edits the agent's first message, which it says as soon as the call is answered. */
import { Editor } from "../../editor/Editor.tsx"
import { problemAt } from "../../data/Checks.ts"
import { Panel } from "../../ui/Panel.tsx"
import { type PromptProps, usePromptContext } from "./PromptContext.ts"

export const FirstWords = (props: PromptProps) => {
  const { draft, mayChange, problems } = props
  const context = usePromptContext(props, "first_message")
  const problem = problemAt(problems, "first_message")
  return (
    <Panel title="First words" aside="spoken as soon as someone answers" className="PromptTab-first">
      <Editor
        label="First words"
        language="prompt"
        hasLineNumbers={false}
        value={draft.value.first_message}
        onChange={(value) => draft.set("first_message", value)}
        isReadOnly={!mayChange}
        context={context}
      />
      {draft.value.first_message === "" && (
        <p className="second-line PromptTab-foot">Empty: the agent waits for the other side to speak.</p>
      )}
      {problem !== undefined && <p className="Field-problem PromptTab-foot">{problem}</p>}
    </Panel>
  )
}
