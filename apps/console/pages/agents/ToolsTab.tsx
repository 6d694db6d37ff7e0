/** The agent's tools, on or off, each with its settings for this agent. Changes are part of the agent's draft. */
import { useQueries } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { ChooseTool } from "../../choose/ChooseTool.tsx"
import { useAccount } from "../../data/Account.tsx"
import { useRpc } from "../../data/Rpc.ts"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { type Column, Columns } from "../../ui/Columns.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { JsonText } from "../../ui/JsonText.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { Tag } from "../../ui/Tag.tsx"
import type { AgentParts, AgentTool } from "./Agent.ts"
import { ToolSettings } from "./ToolSettings.tsx"
import { targetsOf } from "./TransferSettings.tsx"
import "../../ui/Table.css"

export const ToolsTab = ({ agent, draft, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const rpc = useRpc()
  const [open, setOpen] = useState<AgentTool>()
  const described = useQueries({
    queries: (kit.tools ?? []).map(({ tool_name }) => rpc.tools.get.queryOptions({ id: tool_name })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => (data === undefined ? [] : [[data.name, data] as const]))),
  })
  const set = ({ config, enabled, tool_name }: AgentTool) => draft.set(`tool:${tool_name}`, { config, enabled })
  /** Null removes a saved tool. A tool that was only added to the draft is removed by dropping its change. */
  const remove = ({ tool_name }: AgentTool) =>
    draft.set(`tool:${tool_name}`, draft.base[`tool:${tool_name}`] === undefined ? undefined : null)
  const columns: ReadonlyArray<Column> = [
    { word: "On" },
    { word: "Tool" },
    { word: `Settings for ${agent.name}`, isWide: true },
    ...(mayChange ? [{ word: "Actions", isUnseen: true }] : []),
  ]
  if (kit.error !== undefined) return <Failed what="Its tools" error={kit.error} onRetry={kit.retry} />
  if (kit.tools === undefined) return <Loading label="Tools" />
  return (
    <div className="Agent-tab">
      <p className="quiet">
        What it may do in a call. Change as many as you like, then save: they become one version, which the next call
        uses.
      </p>
      <div className="Table-frame">
        <table className="Table Table-tall">
          <Columns columns={columns} />
          <tbody>
            {kit.tools.map((tool) => (
              <tr key={tool.tool_name}>
                <td>
                  {mayChange ? (
                    <Switch
                      label={tool.tool_name}
                      isOn={tool.enabled}
                      onChange={(enabled) => set({ ...tool, enabled })}
                    />
                  ) : tool.enabled ? (
                    "on"
                  ) : (
                    "off"
                  )}
                </td>
                <td>
                  <Link
                    to="/$account/tools/$id"
                    params={{ account: slug, id: described.get(tool.tool_name)?.id ?? tool.tool_name }}
                    className="name mono"
                  >
                    {tool.tool_name}
                  </Link>
                  <span className="Table-second">{described.get(tool.tool_name)?.description}</span>
                  {tool.enabled && tool.tool_name === "transfer_call" && targetsOf(tool.config).length === 0 && (
                    <Tag tone="warn">no number to transfer to</Tag>
                  )}
                </td>
                <td className="Table-wide mono">
                  {Object.keys(tool.config).length === 0 ? (
                    <span className="quiet">none</span>
                  ) : (
                    <JsonText value={tool.config} />
                  )}
                </td>
                {mayChange && (
                  <td className="Table-figure">
                    <ActionMenu
                      label={`Actions for ${tool.tool_name}`}
                      actions={[
                        { id: "settings", word: "Settings…", onAct: () => setOpen(tool) },
                        { id: "away", word: "Remove", isStop: true, onAct: () => remove(tool) },
                      ]}
                    />
                  </td>
                )}
              </tr>
            ))}
            {kit.tools.length === 0 && (
              <tr>
                <td colSpan={4} className="quiet">
                  Without tools it can only talk; it can't even hang up.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {mayChange && (
        <div>
          <ChooseTool
            label="Add a tool"
            form="field"
            placeholder="Choose one"
            chosen={null}
            without={kit.tools.map(({ tool_name }) => tool_name)}
            onChoose={(tool_name) => set({ tool_name, config: {}, enabled: true })}
          />
        </div>
      )}
      {open !== undefined && <ToolSettings agent={agent} tool={open} onClose={() => setOpen(undefined)} onSave={set} />}
    </div>
  )
}
