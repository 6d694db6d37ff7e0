/** Edits the agent's first message, which it says as soon as the call is answered. */
import { useMemo } from "react"
import { Editor } from "../../editor/Editor.tsx"
import { problemAt } from "../../data/Checks.ts"
import { Panel } from "../../ui/Panel.tsx"
import type { AgentParts } from "./Agent.ts"
import { useToolNames } from "./KitDraft.ts"
import type { TrialContacts } from "./TrialContacts.ts"

export const FirstWords = ({
  agent,
  contacts,
  draft,
  kit,
  mayChange,
  problems,
}: AgentParts & { readonly contacts: TrialContacts }) => {
  const tools = useToolNames(kit)
  const context = useMemo(
    () => ({ tools, columns: contacts.columns, saved: agent.first_message }),
    [tools, contacts.columns, agent.first_message],
  )
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
