/** What saving would change: each field with its text as it is and as it is to be. */
import { Dialog } from "../../ui/Dialog.tsx"
import { type Agent, type AgentParts, fieldWord } from "./Agent.ts"
import { LineDiff } from "./LineDiff.tsx"

export const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value, null, 2)

export const CompareAgent = ({ agent, draft, next, onClose }: AgentParts & { readonly onClose: () => void }) => (
  <Dialog title={`v${next} draft beside v${agent.version}`} isOpen onClose={onClose} size="wide">
    <div className="Agent-diffs">
      {(Object.keys(draft.changes) as Array<keyof Agent & string>).map((field) => (
        <section key={field} aria-label={fieldWord(field)}>
          <h3 className="Agent-diff-name">{fieldWord(field)}</h3>
          <LineDiff before={shown(agent[field])} after={shown(draft.value[field])} />
        </section>
      ))}
    </div>
  </Dialog>
)
