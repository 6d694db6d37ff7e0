/** The templates of a draft's agent: its prompt and its first message. */
import { useQuery } from "@tanstack/react-query"
import { useRpc } from "../../data/Rpc.ts"

export interface Templates {
  readonly name: string
  readonly first_message: string
  readonly system_prompt: string
}

export const useTemplates = (agent_id: string): Templates | undefined => {
  const rpc = useRpc()
  return useQuery(rpc.agents.get.queryOptions({ id: agent_id })).data
}

/** True if a template uses the variable. */
export const usedIn = (templates: Templates | undefined, column: string): boolean => {
  if (templates === undefined) return false
  const tags = `${templates.first_message} ${templates.system_prompt}`.match(/\{\{.*?\}\}|\{%.*?%\}/gs) ?? []
  const word = new RegExp(`(?<![\\w.])${column.replaceAll(/[^\w]/g, String.raw`\$&`)}(?!\\w)`)
  return tags.some((tag) => word.test(tag))
}
