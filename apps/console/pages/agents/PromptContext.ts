/** What the editor of a prompt marks: the agent's tools, the contact's columns, and the lines that are not saved. */
import { useMemo } from "react"
import type { AgentParts } from "./Agent.ts"
import { useToolNames } from "./KitDraft.ts"
import type { TrialContacts } from "./TrialContacts.ts"

export interface PromptProps extends AgentParts {
  readonly contacts: TrialContacts
}

export const usePromptContext = ({ agent, contacts, kit }: PromptProps, field: "system_prompt" | "first_message") => {
  const tools = useToolNames(kit)
  const saved = agent[field]
  return useMemo(() => ({ tools, columns: contacts.columns, saved }), [tools, contacts.columns, saved])
}
