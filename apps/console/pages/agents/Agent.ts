/** The state that an agent's tabs share: the agent with its draft, and its kit. */
import { useQuery } from "@tanstack/react-query"
import type { Outputs } from "../../data/AccountPulse.ts"
import type { Draft } from "../../data/Draft.ts"
import { every, pageSize } from "../../data/Every.ts"
import type { Form } from "../../data/Fields.ts"
import { type RpcClient, useRpc, useRpcClient } from "../../data/Rpc.ts"
import type { OnThePhone } from "./OnThePhone.ts"

export type Agent = Outputs["agents"]["get"]
export type AgentDraft = Draft<EditedAgent>
type SavedTool = Outputs["agents"]["tools"]["list"]["items"][number]
type SavedPlaybook = Outputs["agents"]["playbooks"]["list"]["items"][number]
export type AgentTool = Pick<SavedTool, "tool_name" | "config" | "enabled">
export type AgentPlaybook = Pick<SavedPlaybook, "playbook_id" | "name" | "missing_tools">

/** An agent as an editor changes it. */
export type EditedAgent = Agent & {
  readonly playbooks: ReadonlyArray<Pick<AgentPlaybook, "playbook_id" | "name">>
  /** Null if the draft removes the tool. Undefined if the agent does not have it. */
  readonly [tool: `tool:${string}`]: Pick<AgentTool, "config" | "enabled"> | null | undefined
  /** Undefined: unchanged. An agent may have thousands of FAQs, so the draft holds only the changed ones. */
  readonly [faq: `faq:${string}`]: { readonly has: boolean; readonly question: string } | undefined
}

export interface AgentParts extends Form<EditedAgent> {
  readonly agent: Agent
  readonly draft: AgentDraft
  /** The kit with the draft's changes applied. */
  readonly kit: Kit
  readonly phone: ReadonlyArray<OnThePhone>
  /** The version number that the next save creates. */
  readonly next: number
}

export interface Kit {
  readonly tools: ReadonlyArray<AgentTool> | undefined
  readonly playbooks: ReadonlyArray<AgentPlaybook> | undefined
  readonly faqCount: number | undefined
  readonly isPending: boolean
  /** The error of the first part that could not be loaded. */
  readonly error: unknown
  readonly retry: () => void
}

interface Options {
  readonly signal?: AbortSignal
}

/** Under the list's query key, so that invalidating the list refetches this too. */
const whole = { type: "every" }

export const toolsOf = ({ agents }: RpcClient, agent_id: string, options: Options = {}) =>
  every(
    (page) => agents.tools.list.query({ agent_id, page, page_size: pageSize }, options),
    ({ tool_name }): string => tool_name,
  )

export const playbooksOf = ({ agents }: RpcClient, agent_id: string, options: Options = {}) =>
  every(
    (page) => agents.playbooks.list.query({ agent_id, page, page_size: pageSize }, options),
    ({ playbook_id }): string => playbook_id,
  )

export const useKit = (agent_id: string): Kit => {
  const rpc = useRpc()
  const client = useRpcClient()
  const tools = useQuery({
    queryKey: [...rpc.agents.tools.list.pathKey(), whole, agent_id],
    queryFn: ({ signal }) => toolsOf(client, agent_id, { signal }),
    select: inOrder,
  })
  const playbooks = useQuery({
    queryKey: [...rpc.agents.playbooks.list.pathKey(), whole, agent_id],
    queryFn: ({ signal }) => playbooksOf(client, agent_id, { signal }),
  })
  const faqs = useQuery(rpc.agents.faqs.list.queryOptions({ agent_id, page_size: 1 }))
  const queries = [tools, playbooks, faqs]
  return {
    tools: tools.data,
    playbooks: playbooks.data,
    faqCount: faqs.data?.total,
    isPending: queries.some(({ isPending }) => isPending),
    error: queries.find(({ isError }) => isError)?.error,
    retry: () => {
      for (const query of queries) if (query.isError) void query.refetch()
    },
  }
}

/** Sorts by creation, so that a tool does not move when it is switched. */
const inOrder = (tools: ReadonlyArray<SavedTool>) => tools.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
