/** What the agent of a draft says and is told, as templates. */
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

/** Whether a variable of that name stands in them. */
export const usedIn = (templates: Templates | undefined, column: string): boolean => {
  if (templates === undefined) return false
  const tags = `${templates.first_message} ${templates.system_prompt}`.match(/\{\{.*?\}\}|\{%.*?%\}/gs) ?? []
  const word = new RegExp(`(?<![\\w.])${column.replaceAll(/[^\w]/g, String.raw`\$&`)}(?!\\w)`)
  return tags.some((tag) => word.test(tag))
}
