/** The agent's tools, on or off, each with its settings for this agent; each change saves a new version. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount } from "../../data/Account.tsx"
import { type ProblemBody, problemOf } from "../../data/Problem.ts"
import { useEveryTool } from "../../data/Choices.ts"
import { notice } from "../../shell/Notices.tsx"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Failed } from "../../ui/Failed.tsx"
import { JsonText } from "../../ui/JsonText.tsx"
import { Loading } from "../../ui/Loading.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Switch } from "../../ui/Switch.tsx"
import { Tag } from "../../ui/Tag.tsx"
import { type AgentParts, type AgentTool, useKitChange } from "./Agent.ts"
import { ToolSettings } from "./ToolSettings.tsx"
import { targetsOf } from "./TransferSettings.tsx"
import "../../ui/Table.css"

export const ToolsTab = ({ agent, kit, mayChange }: AgentParts) => {
  const { slug } = useAccount()
  const { disable, enable } = useKitChange()
  const [problem, setProblem] = useState<ProblemBody>()
  const [open, setOpen] = useState<AgentTool>()
  const catalog = useEveryTool()
  const described = new Map(catalog?.map((tool) => [tool.name, tool]))
  const free = (catalog ?? []).filter(({ name }) => !kit.tools?.some(({ tool_name }) => tool_name === name))
  const attempt = async (act: () => Promise<unknown>) => {
    setProblem(undefined)
    try {
      await act()
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  const set = ({ config, enabled, tool_name }: Pick<AgentTool, "tool_name" | "config" | "enabled">) =>
    enable.mutateAsync({ agent_id: agent.id, tool_name, config, enabled })
  const take = (tool: AgentTool) =>
    attempt(async () => {
      await disable.mutateAsync({ agent_id: agent.id, tool_name: tool.tool_name })
      notice({
        text: `${agent.name} no longer has ${tool.tool_name}.`,
        act: { word: "Undo", onAct: () => void attempt(() => set(tool)) },
      })
    })
  if (kit.error !== undefined) return <Failed what="Its tools" error={kit.error} onRetry={kit.retry} />
  if (kit.tools === undefined) return <Loading label="Tools" />
  return (
    <div className="Agent-tab">
      <p className="quiet">
        What it may do in a call. Every change here saves a new version, which the next call uses.
      </p>
      {problem !== undefined && <ProblemLine problem={problem} />}
      <div className="Table-frame">
        <table className="Table Table-tall">
          <thead>
            <tr>
              <th scope="col">On</th>
              <th scope="col">Tool</th>
              <th scope="col" className="Table-wide">
                Settings for {agent.name}
              </th>
              {mayChange && (
                <th scope="col">
                  <span className="unseen">Acts</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {kit.tools.map((tool) => (
              <tr key={tool.tool_name}>
                <td>
                  {mayChange ? (
                    <Switch
                      label={tool.tool_name}
                      isOn={tool.enabled}
                      onChange={(enabled) => void attempt(() => set({ ...tool, enabled }))}
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
                      label={`Acts on ${tool.tool_name}`}
                      actions={[
                        { id: "settings", word: "Settings…", onAct: () => setOpen(tool) },
                        { id: "away", word: "Remove", isStop: true, onAct: () => void take(tool) },
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
      {mayChange && free.length > 0 && (
        <div>
          <SelectMenu
            label="Add a tool"
            form="field"
            placeholder="Choose one"
            chosen={null}
            choices={free.map(({ display_name, name }) => ({ id: name, word: name, note: display_name }))}
            onChoose={(tool_name) => void attempt(() => set({ tool_name, config: {}, enabled: true }))}
          />
        </div>
      )}
      {open !== undefined && <ToolSettings agent={agent} tool={open} onClose={() => setOpen(undefined)} onSave={set} />}
    </div>
  )
}
