/** Restores a version as a new one. Lists obstacles, with ways around them. */
import { useState } from "react"
import { useAct } from "../../data/Act.ts"
import { useRpcClient } from "../../data/Rpc.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Radios } from "../../ui/Radio.tsx"
import type { Agent } from "./Agent.ts"

interface Obstacle {
  readonly kind: string
  readonly name: string | null
  readonly used_by: ReadonlyArray<string>
  readonly detail: string
}

export interface RestoreVersionProps {
  readonly agent: Agent
  readonly version: number
  readonly onClose: () => void
  readonly onRestored: (version: number) => Promise<void>
}

export const RestoreVersion = ({ agent, onClose, onRestored, version }: RestoreVersionProps) => {
  const client = useRpcClient()
  const { problem, run } = useAct()
  const [shared, setShared] = useState<"refuse" | "keep" | "restore">("refuse")
  const [missing, setMissing] = useState<"refuse" | "leave_out">("refuse")
  const obstacles = (problem?.["obstacles"] ?? []) as ReadonlyArray<Obstacle>
  const isShared = obstacles.some(({ used_by }) => used_by.length > 0)
  const isMissing = obstacles.some(({ used_by }) => used_by.length === 0)
  const restore = () =>
    run(async () => {
      const made = await client.agents.versions.restore.mutate({
        agent_id: agent.id,
        version: String(version),
        shared,
        missing,
      })
      await onRestored(made.version)
    })
  return (
    <Dialog title={`Roll ${agent.name} back to v${version}?`} isOpen onClose={onClose}>
      <p className="quiet">
        v{agent.version + 1} will be as v{version} was: prompt, voice, tools, playbooks, FAQs. It keeps the name{" "}
        {agent.name}. v{agent.version} stays in the list, and running campaigns keep theirs.
      </p>
      {obstacles.length > 0 && (
        <ul className="Agent-obstacles">
          {obstacles.map(({ detail }) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      {isShared && (
        <Radios
          label="What other agents use too"
          isLabelSeen
          chosen={shared}
          onChoose={setShared}
          choices={[
            { value: "refuse", word: "Not decided" },
            { value: "keep", word: "Keep it as it is now" },
            {
              value: "restore",
              word: "Set it back for all of them",
              note: "Makes a version of each agent that uses it.",
            },
          ]}
        />
      )}
      {isMissing && (
        <Radios
          label="What was deleted since"
          isLabelSeen
          chosen={missing}
          onChoose={setMissing}
          choices={[
            { value: "refuse", word: "Not decided" },
            { value: "leave_out", word: "Go back without it" },
          ]}
        />
      )}
      {problem !== undefined && <ProblemLine problem={problem} />}
      <DialogActs>
        <Button look="primary" onPress={restore}>
          Roll back to v{version}
        </Button>
        <Button look="quiet" shortcut="esc" onPress={onClose}>
          Keep v{agent.version}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
