/** What the tabs of an agent share: the agent with its draft, and its kit. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Outputs } from "../../data/AccountPulse.ts"
import type { FieldProblems } from "../../data/Checks.ts"
import type { Draft } from "../../data/Draft.ts"
import { useRpc } from "../../data/Rpc.ts"
import type { OnThePhone } from "./OnThePhone.ts"

export type Agent = Outputs["agents"]["get"]
export type AgentDraft = Draft<Agent>
export type AgentTool = Outputs["agents"]["tools"]["list"]["items"][number]
export type AgentPlaybook = Outputs["agents"]["playbooks"]["list"]["items"][number]

export interface AgentParts {
  readonly agent: Agent
  readonly draft: AgentDraft
  readonly kit: Kit
  readonly problems: FieldProblems
  readonly phone: ReadonlyArray<OnThePhone>
  /** The number that saving makes. */
  readonly next: number
  readonly mayChange: boolean
}

export interface Kit {
  readonly tools: ReadonlyArray<AgentTool> | undefined
  readonly playbooks: ReadonlyArray<AgentPlaybook> | undefined
  readonly faqCount: number | undefined
  /** The first of what could not be loaded. */
  readonly error: unknown
  readonly retry: () => void
}

/** More than an agent ever has of them. */
const all = { page_size: 100 }

export const useKit = (agent_id: string): Kit => {
  const rpc = useRpc()
  const tools = useQuery(rpc.agents.tools.list.queryOptions({ agent_id, ...all }))
  const playbooks = useQuery(rpc.agents.playbooks.list.queryOptions({ agent_id, ...all }))
  const faqs = useQuery(rpc.agents.faqs.list.queryOptions({ agent_id, page_size: 1 }))
  const queries = [tools, playbooks, faqs]
  return {
    // In the order in which they came, so that none moves when it is switched.
    tools: tools.data?.items.toSorted((a, b) => a.created_at.localeCompare(b.created_at)),
    playbooks: playbooks.data?.items.toSorted((a, b) => a.position - b.position),
    faqCount: faqs.data?.total,
    error: queries.find(({ isError }) => isError)?.error,
    retry: () => {
      for (const query of queries) if (query.isError) void query.refetch()
    },
  }
}

/** A change of what an agent has is a version at once; what is shown of it is asked for again. */
export const useKitChange = () => {
  const rpc = useRpc()
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries({ queryKey: rpc.agents.pathKey() })
  return {
    enable: useMutation(rpc.agents.tools.enable.mutationOptions({ onSuccess })),
    disable: useMutation(rpc.agents.tools.disable.mutationOptions({ onSuccess })),
    attachPlaybook: useMutation(rpc.agents.playbooks.attach.mutationOptions({ onSuccess })),
    detachPlaybook: useMutation(rpc.agents.playbooks.detach.mutationOptions({ onSuccess })),
    attachFaq: useMutation(rpc.agents.faqs.attach.mutationOptions({ onSuccess })),
    detachFaq: useMutation(rpc.agents.faqs.detach.mutationOptions({ onSuccess })),
  }
}

const words: Readonly<Record<string, string>> = {
  first_message: "first words",
  system_prompt: "system prompt",
  max_call_seconds: "longest call",
  silence_timeout_seconds: "silence",
  interruptible: "interruption",
  voicemail_action: "voicemail",
  outcome_schema: "result of a call",
}

/** A field in words, within a sentence. */
export const fieldWord = (field: string): string => words[field] ?? field.replaceAll("_", " ")
