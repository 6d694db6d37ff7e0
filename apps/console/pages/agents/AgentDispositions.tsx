/** What may come of the agent's calls: the words that people read, the key in exports, and whether it ends the contact. */
import { IconPlus } from "@tabler/icons-react"
import { problemAt } from "../../data/Checks.ts"
import { ActionMenu } from "../../ui/ActionMenu.tsx"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { Panel, PanelBody } from "../../ui/Panel.tsx"
import { Switch } from "../../ui/Switch.tsx"
import type { Agent, AgentParts } from "./Agent.ts"
import { keyOf } from "./DispositionKeys.ts"
import "./AgentDispositions.css"

type Disposition = Agent["dispositions"][number]

export const AgentDispositions = ({ draft, mayChange, problems }: AgentParts) => {
  const all = draft.value.dispositions
  const set = (next: ReadonlyArray<Disposition>) => draft.set("dispositions", [...next])
  const move = (at: number, by: number) => {
    const moved = all[at]
    if (moved !== undefined) set(all.toSpliced(at, 1).toSpliced(at + by, 0, moved))
  }
  const problem = problemAt(problems, "dispositions")
  return (
    <Panel
      className="AgentDispositions"
      title="Dispositions"
      aside="What may come of a call. The agent sets one, and people can change it."
    >
      <PanelBody>
        {all.length === 0 && <p className="second-line">None. The calls have an outcome, but no word of your own.</p>}
        <ol className="AgentDispositions-all">
          {all.map((disposition, at) => (
            // Two rows may have the same key while the user types.
            <li key={at}>
              <Row
                disposition={disposition}
                position={at + 1}
                mayChange={mayChange}
                problemOf={(field) => problemAt(problems, `dispositions/${at}/${field}`)}
                onChange={(next) => set(all.with(at, next))}
                actions={[
                  ...(at > 0 ? [{ id: "up", word: "Move up", onAct: () => move(at, -1) }] : []),
                  ...(at < all.length - 1 ? [{ id: "down", word: "Move down", onAct: () => move(at, 1) }] : []),
                  { id: "remove", word: "Remove", isStop: true, onAct: () => set(all.toSpliced(at, 1)) },
                ]}
              />
            </li>
          ))}
        </ol>
        {problem !== undefined && <p className="Field-problem">{problem}</p>}
        {mayChange && (
          <Button size="row" icon={<IconPlus aria-hidden />} onPress={() => set([...all, { key: "", label: "" }])}>
            Add a disposition
          </Button>
        )}
      </PanelBody>
    </Panel>
  )
}

interface RowProps {
  readonly disposition: Disposition
  /** From 1. */
  readonly position: number
  readonly mayChange: boolean
  readonly problemOf: (field: "key" | "label") => string | undefined
  readonly onChange: (next: Disposition) => void
  readonly actions: Parameters<typeof ActionMenu>[0]["actions"]
}

const Row = ({ actions, disposition, mayChange, onChange, position, problemOf }: RowProps) => {
  const { key, label } = disposition
  const isDerived = key === keyOf(label)
  return (
    <div className="AgentDispositions-one">
      <Field
        label={`Words ${position}`}
        value={label}
        isReadOnly={!mayChange}
        placeholder="Wants an offer"
        onChange={(typed) => onChange({ ...disposition, label: typed, ...(isDerived && { key: keyOf(typed) }) })}
        problem={problemOf("label")}
      />
      <Field
        label={`Key ${position}`}
        value={key}
        isMono
        isReadOnly={!mayChange}
        placeholder="wants_an_offer"
        onChange={(typed) => onChange({ ...disposition, key: typed })}
        problem={problemOf("key")}
      />
      <Switch
        isOn={disposition.final === true}
        isDisabled={!mayChange}
        onChange={(isFinal) => onChange({ key, label, ...(isFinal && { final: true }) })}
      >
        Ends the contact
      </Switch>
      {mayChange && <ActionMenu label={`Actions for disposition ${position}`} actions={actions} />}
    </div>
  )
}
