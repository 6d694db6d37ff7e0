/** A tool's settings for one agent: an object that the tool sees as `context.config`. */
import { useState } from "react"
import { NewEnablement } from "../../../../src/rpc/inputs/Agents.ts"
import { findProblems, problemAt } from "../../data/Checks.ts"
import { Editor } from "../../editor/Editor.tsx"
import { Button } from "../../ui/Button.tsx"
import { CancelButton, Dialog, DialogActs } from "../../ui/Dialog.tsx"
import type { Agent, AgentTool } from "./Agent.ts"
import { transferFault, TransferSettings } from "./TransferSettings.tsx"

export interface ToolSettingsProps {
  readonly agent: Agent
  readonly tool: AgentTool
  readonly onSave: (tool: AgentTool) => void
  readonly onClose: () => void
}

const objectIn = (text: string): AgentTool["config"] | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as AgentTool["config"])
      : undefined
  } catch {
    return undefined
  }
}

export const ToolSettings = ({ agent, onClose, onSave, tool }: ToolSettingsProps) => {
  const [text, setText] = useState(() => JSON.stringify(tool.config, null, 2))
  const isTransfer = tool.tool_name === "transfer_call"
  const config = objectIn(text)
  const fault =
    config === undefined
      ? 'Must be a JSON object, such as { "numbers": ["+16175550100"] }.'
      : isTransfer
        ? transferFault(config)
        : problemAt(findProblems(NewEnablement, { tool_name: tool.tool_name, config }), "config")
  const save = () => {
    if (config === undefined) return
    onSave({ ...tool, config })
    onClose()
  }
  return (
    <Dialog title={`${tool.tool_name} for ${agent.name}`} isOpen onClose={onClose} size="wide" isDismissable={false}>
      {isTransfer && config !== undefined ? (
        <TransferSettings config={config} onChange={(changed) => setText(JSON.stringify(changed, null, 2))} />
      ) : (
        <>
          <p className="quiet">The tool sees these settings in its context, under config.</p>
          <div className="Agent-code">
            <Editor label={`Settings of ${tool.tool_name}`} language="json" value={text} onChange={setText} />
          </div>
        </>
      )}
      {fault !== undefined && <p className="Field-problem">{fault}</p>}
      <DialogActs>
        <Button look="primary" isDisabled={fault !== undefined} onPress={save}>
          Use these settings
        </Button>
        <CancelButton onPress={onClose} />
      </DialogActs>
    </Dialog>
  )
}
