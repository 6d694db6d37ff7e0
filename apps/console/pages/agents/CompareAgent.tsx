/** Shows what a save would change: each field with its present and its new text. */
import { Dialog } from "../../ui/Dialog.tsx"
import type { AgentParts, EditedAgent } from "./Agent.ts"
import { fieldTexts, fieldWord } from "./FieldWords.ts"
import { LineDiff } from "./LineDiff.tsx"

export interface CompareAgentProps extends AgentParts {
  readonly saved: EditedAgent
  readonly onClose: () => void
}

export const CompareAgent = ({ agent, draft, next, onClose, saved }: CompareAgentProps) => (
  <Dialog title={`v${next} draft beside v${agent.version}`} isOpen onClose={onClose} size="wide">
    <div className="Agent-diffs">
      {(Object.keys(draft.changes) as Array<keyof EditedAgent & string>).map((field) => (
        <section key={field} aria-label={fieldWord(field)}>
          <h3 className="Agent-diff-name">{fieldWord(field)}</h3>
          <LineDiff {...fieldTexts(field, saved, draft.value)} />
        </section>
      ))}
    </div>
  </Dialog>
)
