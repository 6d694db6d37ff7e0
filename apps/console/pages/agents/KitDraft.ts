/**
 * An agent's kit in its draft: the kit with the unsaved changes applied, and those changes as `agents.save` takes them.
 * Each tool and each FAQ is one field of the draft, so that changes to two different tools do not conflict.
 */
import { useQueries } from "@tanstack/react-query"
import { useMemo } from "react"
import { useRpc } from "../../data/Rpc.ts"
import type { Agent, AgentDraft, EditedAgent, Kit } from "./Agent.ts"

type Changes = Partial<EditedAgent>

/** The draft's fields: one for each tool, by its name, and one for each FAQ, by its id. */
export const toolField = /^tool:(.+)$/
export const faqField = /^faq:(.+)$/

const changedOf = <Value>(changes: Changes, field: RegExp): ReadonlyArray<readonly [key: string, value: Value]> =>
  Object.entries(changes).flatMap(([name, value]) => {
    const key = field.exec(name)?.[1]
    return key === undefined ? [] : [[key, value as Value] as const]
  })
const toolsIn = (changes: Changes) => changedOf<NonNullable<EditedAgent["tool:"]> | null>(changes, toolField)
const faqsIn = (changes: Changes) => changedOf<NonNullable<EditedAgent["faq:"]>>(changes, faqField)

/** The agent and its kit as saved, in the shape of a draft. */
export const editedFrom = (agent: Agent, { playbooks = [], tools = [] }: Pick<Kit, "playbooks" | "tools">) =>
  ({
    ...agent,
    playbooks: playbooks.map(({ name, playbook_id }) => ({ playbook_id, name })),
    ...Object.fromEntries(tools.map(({ config, enabled, tool_name }) => [`tool:${tool_name}`, { config, enabled }])),
  }) as EditedAgent

/** The changes as the input of `agents.save`: the changed fields, and the changes of the kit under `kit`. */
export const toSave = (changes: Changes, base: Pick<EditedAgent, "playbooks">) => {
  const fields = Object.fromEntries(
    Object.entries(changes).filter(([name]) => name !== "playbooks" && !toolField.test(name) && !faqField.test(name)),
  ) as Partial<Agent>
  const tools = toolsIn(changes)
  const faqs = faqsIn(changes)
  const order = changes.playbooks?.map(({ playbook_id }) => playbook_id as string)
  return {
    ...fields,
    kit: {
      tools: tools.flatMap(([tool_name, tool]) => (tool === null ? [] : [{ tool_name, ...tool }])),
      tools_removed: tools.flatMap(([tool_name, tool]) => (tool === null ? [tool_name] : [])),
      faqs_attached: faqs.flatMap(([id, { has }]) => (has ? [id] : [])),
      faqs_detached: faqs.flatMap(([id, { has }]) => (has ? [] : [id])),
      ...(order !== undefined && {
        playbooks: order,
        playbooks_detached: base.playbooks
          .map(({ playbook_id }) => playbook_id as string)
          .filter((id) => !order.includes(id)),
      }),
    },
  }
}

export const isKitChanged = (changes: Changes): boolean =>
  Object.keys(changes).some((name) => name === "playbooks" || toolField.test(name) || faqField.test(name))

/** The kit with the draft's changes applied. */
export const useDraftedKit = (kit: Kit, { changes }: Pick<AgentDraft, "changes">): Kit => {
  const rpc = useRpc()
  const changed = new Map(toolsIn(changes))
  const { tools } = kit
  const drafted = tools && [
    ...tools.flatMap((tool) => {
      const change = changed.get(tool.tool_name)
      return change === null ? [] : [{ ...tool, ...change }]
    }),
    ...[...changed].flatMap(([tool_name, tool]) =>
      tool === null || tools.some((saved) => saved.tool_name === tool_name) ? [] : [{ tool_name, ...tool }],
    ),
  ]
  const playbooks = changes.playbooks ?? kit.playbooks
  // `missing_tools` comes from the saved kit; with unsaved changes it is computed here from each playbook's own list.
  const isAsked = changed.size > 0 || changes.playbooks !== undefined
  const whole = useQueries({
    queries: (isAsked ? (playbooks ?? []) : []).map(({ playbook_id }) =>
      rpc.playbooks.get.queryOptions({ id: playbook_id }),
    ),
  })
  const isOn = (name: string) => drafted?.some(({ enabled, tool_name }) => enabled && tool_name === name)
  const missingOf = (playbook_id: string) =>
    whole.find(({ data }) => data?.id === playbook_id)?.data?.tool_names.filter((name) => !isOn(name)) ??
    kit.playbooks?.find((saved) => saved.playbook_id === playbook_id)?.missing_tools ??
    []
  const more = faqsIn(changes).reduce((sum, [, { has }]) => sum + (has ? 1 : -1), 0)
  return {
    ...kit,
    tools: drafted,
    playbooks:
      kit.playbooks &&
      playbooks?.map(({ name, playbook_id }) => ({ playbook_id, name, missing_tools: missingOf(playbook_id) })),
    faqCount: kit.faqCount === undefined ? undefined : kit.faqCount + more,
  }
}

/** Returns the same array while the names stay the same, since an editor is rebuilt whenever the array changes. */
export const useToolNames = ({ tools = [] }: Pick<Kit, "tools">): ReadonlyArray<string> => {
  const names = tools.map(({ tool_name }) => tool_name).join(" ")
  return useMemo(() => names.split(" ").filter((name) => name !== ""), [names])
}
