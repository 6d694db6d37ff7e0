/** Edits the scenarios of an agent side by side, as a form or as JSON. A run keeps the scenarios it ran. */
import { IconPlus } from "@tabler/icons-react"
import { useState } from "react"
import { NewScenarioRun } from "../../../../src/rpc/inputs/ScenarioRuns.ts"
import { capitalize, findProblems, type FieldProblems } from "../../data/Checks.ts"
import { problemOf } from "../../data/Problem.ts"
import { Editor } from "../../editor/Editor.tsx"
import { Button } from "../../ui/Button.tsx"
import { CancelButton, Dialog, DialogActs } from "../../ui/Dialog.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { Ways } from "../../ui/Ways.tsx"
import { counted } from "../../words/Figures.ts"
import type { Agent } from "./Agent.ts"
import { newScenario, type Scenario, type Scenarios } from "./Scenario.ts"
import { ScenarioForm } from "./ScenarioForm.tsx"
import type { Run } from "./ScenarioRuns.ts"

export interface ScenarioEditorProps {
  readonly agent: Agent
  readonly scenarios: Run["scenarios"] | undefined
  readonly isBusy: boolean
  readonly error: unknown
  readonly onRun: (scenarios: Scenarios) => void
  readonly onClose: () => void
}

const ways = [
  { way: "form", word: "Form" },
  { way: "json", word: "JSON" },
] as const

/** The problems of one scenario, by its parts. */
const problemsOf = (problems: FieldProblems, at: number): FieldProblems =>
  Object.fromEntries(
    Object.entries(problems).flatMap(([place, problem]) =>
      place.startsWith(`scenarios/${at}/`) ? [[place.slice(`scenarios/${at}/`.length), problem]] : [],
    ),
  )

export const ScenarioEditor = ({ agent, error, isBusy, onClose, onRun, scenarios: known }: ScenarioEditorProps) => {
  const [scenarios, setScenarios] = useState<Scenarios>(() =>
    known === undefined ? [newScenario(1)] : (structuredClone(known) as unknown as Scenarios),
  )
  const [at, setAt] = useState(0)
  const [way, setWay] = useState<"form" | "json">("form")
  const [fault, setFault] = useState<string>()
  const problems = findProblems(NewScenarioRun, { scenarios })
  const [first] = Object.entries(problems)
  const chosen = scenarios[at]
  const change = (scenario: Scenario) => setScenarios(scenarios.with(at, scenario))
  const add = () => {
    setScenarios([...scenarios, newScenario(scenarios.length + 1)])
    setAt(scenarios.length)
  }
  const remove = () => {
    setScenarios(scenarios.toSpliced(at, 1))
    setAt(Math.max(0, at - 1))
  }
  return (
    <Dialog title={`Scenarios of ${agent.name}`} isOpen onClose={onClose} size="wide" isDismissable={false}>
      <div className="ScenarioEditor-head">
        {way === "form" && (
          <>
            <SelectMenu
              label="Scenario"
              chosen={String(at)}
              choices={scenarios.map(({ name }, index) => ({
                id: String(index),
                word: name,
                ...(Object.keys(problemsOf(problems, index)).length > 0 && { note: "needs a change" }),
              }))}
              onChoose={(id) => setAt(Number(id))}
            />
            <Button size="row" icon={<IconPlus aria-hidden />} onPress={add}>
              Add one
            </Button>
            {scenarios.length > 1 && (
              <Button size="row" look="stop" onPress={remove}>
                Remove
              </Button>
            )}
          </>
        )}
        <span className="ScenarioEditor-ways">
          <Ways label="How the scenarios are shown" ways={ways} chosen={way} onChoose={setWay} />
        </span>
      </div>
      {way === "form" && chosen !== undefined && (
        <ScenarioForm key={at} scenario={chosen} problems={problemsOf(problems, at)} onChange={change} />
      )}
      {way === "json" && <AsJson scenarios={scenarios} onChange={setScenarios} onFault={setFault} />}
      {way === "json" && (fault ?? first) !== undefined && (
        <p className="Field-problem">
          {fault ?? `${first?.[0].replace(/^scenarios\/?/, "") || "The whole"}: ${capitalize(first?.[1] ?? "")}`}
        </p>
      )}
      {error !== null && <ProblemLine problem={problemOf(error)} />}
      <DialogActs>
        <Button
          look="primary"
          isDisabled={isBusy || fault !== undefined || first !== undefined}
          onPress={() => onRun(scenarios)}
        >
          {scenarios.length === 1 ? "Run it" : `Run all ${counted(scenarios.length, "scenario")}`}
        </Button>
        <CancelButton onPress={onClose} />
      </DialogActs>
    </Dialog>
  )
}

interface AsJsonProps {
  readonly scenarios: Scenarios
  readonly onChange: (scenarios: Scenarios) => void
  readonly onFault: (fault: string | undefined) => void
}

const AsJson = ({ onChange, onFault, scenarios }: AsJsonProps) => {
  const [text, setText] = useState(() => JSON.stringify(scenarios, null, 2))
  const type = (typed: string) => {
    setText(typed)
    try {
      const value: unknown = JSON.parse(typed)
      onFault(Array.isArray(value) ? undefined : "The JSON must be a list of scenarios.")
      if (Array.isArray(value)) onChange(value as Scenarios)
    } catch (error) {
      onFault(error instanceof Error ? error.message : "This is not valid JSON.")
    }
  }
  return (
    <div className="Agent-code">
      <Editor label="Scenarios" language="json" value={text} onChange={type} />
    </div>
  )
}
