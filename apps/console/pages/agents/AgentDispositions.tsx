/** What may come of the agent's calls, one per line: the key, a colon and the words that people read. */
import { problemWithin } from "../../data/Checks.ts"
import { LinesField } from "../../ui/LinesField.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import type { Agent, AgentParts } from "./Agent.ts"

type Disposition = Agent["dispositions"][number]

const finalMark = "(final)"

const lineOf = ({ final, key, label }: Disposition) => `${key}${final === true ? ` ${finalMark}` : ""}: ${label}`

const dispositionIn = (line: string): Disposition => {
  const [before = "", ...rest] = line.split(":")
  const isFinal = before.trimEnd().endsWith(finalMark)
  const key = before.replace(finalMark, "").trim()
  return { key, label: rest.join(":").trim(), ...(isFinal ? { final: true } : {}) }
}

export const AgentDispositions = ({ draft, mayChange, problems }: AgentParts) => (
  <Panel title="Dispositions" aside="What may come of a call. The agent sets one, and people can change it.">
    <PanelBody>
      <LinesField
        key={draft.value.id}
        label="Dispositions"
        isMono
        isReadOnly={!mayChange}
        lines={draft.value.dispositions.map(lineOf)}
        onLines={(lines) => draft.set("dispositions", lines.map(dispositionIn))}
        placeholder="interested: Wants an offer"
        hint="One per line: a key, a colon and the words that people read. Write (final) after a key to end the contact: its campaign does not call again."
        problem={problemWithin(problems, "dispositions")}
      />
    </PanelBody>
  </Panel>
)
