/** The prompt, the agent's kit beside it, and a chat to try both. */
import { useState } from "react"
import type { AgentParts } from "./Agent.ts"
import { FirstWords } from "./FirstWords.tsx"
import { KitColumn } from "./KitColumn.tsx"
import { useTrialContacts } from "./TrialContacts.ts"
import { SystemPrompt } from "./SystemPrompt.tsx"
import { TryAgent } from "./TryAgent.tsx"
import "./PromptTab.css"

const parts = [
  { id: "prompt", word: "Prompt" },
  { id: "kit", word: "What it has" },
  { id: "try", word: "Try it" },
] as const

export const PromptTab = (props: AgentParts) => {
  const contacts = useTrialContacts(props.agent.id)
  const [part, setPart] = useState<(typeof parts)[number]["id"]>("prompt")
  return (
    <>
      {/* Below 768 px the columns are tabs. */}
      <div className="PromptTab-parts" role="group" aria-label="Columns">
        {parts.map(({ id, word }) => (
          <button key={id} type="button" aria-pressed={id === part} onClick={() => setPart(id)}>
            {word}
          </button>
        ))}
      </div>
      <div className={`PromptTab PromptTab-${part}`}>
        <div className="PromptTab-texts">
          <FirstWords {...props} contacts={contacts} />
          <SystemPrompt {...props} contacts={contacts} />
        </div>
        <KitColumn {...props} />
        <TryAgent {...props} contacts={contacts} />
      </div>
    </>
  )
}
