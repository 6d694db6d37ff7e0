/** One scenario as a form: the caller, the answers of tools, and the checks on the call. */
import { type FieldProblems, problemWithin } from "../../data/Checks.ts"
import { outcomes, outcomeWords } from "../../figures/Outcomes.ts"
import { Field } from "../../ui/Field.tsx"
import { JsonField } from "../../ui/JsonField.tsx"
import { LinesField } from "../../ui/LinesField.tsx"
import { Radios } from "../../ui/Radio.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import {
  type Caller,
  type CallerKind,
  type Expectations,
  kindOf,
  linesOf,
  put,
  type Scenario,
  some,
} from "./Scenario.ts"

export interface ScenarioFormProps {
  readonly scenario: Scenario
  /** By part, such as "caller/says". */
  readonly problems: FieldProblems
  readonly onChange: (scenario: Scenario) => void
}

const starts: Record<CallerKind, Caller> = {
  says: { says: ["Hello?"] },
  voicemail: { voicemail: "You have reached the voicemail of 617 555 0142. Leave a message after the tone." },
  persona: { persona: "A patient in a hurry, friendly.", goal: "Find out what the call is about." },
}

export const ScenarioForm = ({ onChange, problems, scenario }: ScenarioFormProps) => {
  const { caller, expect, name, tools, variables } = scenario
  const setCaller = (next: Caller) => onChange({ ...scenario, caller: next })
  const setExpect = <Part extends keyof Expectations>(part: Part, value: Expectations[Part] | undefined) =>
    onChange({ ...scenario, expect: put(expect, part, value) })
  const problem = (part: string) => problemWithin(problems, part)
  return (
    <div className="Form">
      <Field
        label="Name"
        value={name}
        onChange={(typed) => onChange({ ...scenario, name: typed })}
        problem={problem("name")}
      />
      <Radios
        label="Caller"
        isLabelSeen
        chosen={kindOf(caller)}
        onChoose={(kind) => setCaller(starts[kind])}
        choices={[
          { value: "says", word: "Says these lines, one after the other" },
          { value: "voicemail", word: "Is a voicemail" },
          { value: "persona", word: "Is played by a model" },
        ]}
      />
      <CallerFields key={kindOf(caller)} caller={caller} onChange={setCaller} problem={problem} />
      <JsonField
        label="What tools answer"
        object={tools}
        onObject={(object) => onChange(put(scenario, "tools", object as Scenario["tools"]))}
        placeholder={'{ "find_open_slots": { "result": ["Thursday 9:40"] } }'}
        problem={problem("tools")}
        hint="By the tool's name. Built-in and Python tools without an answer here run, and their writes are rolled back. An HTTP tool without one fails."
      />
      <JsonField
        label="Variables of the contact"
        object={variables}
        onObject={(object) => onChange(put(scenario, "variables", object as Scenario["variables"]))}
        placeholder={'{ "first_name": "Maria" }'}
        problem={problem("variables")}
      />
      <h3 className="panel-title">What must hold</h3>
      <LinesField
        label="The agent says"
        lines={expect.said ?? []}
        onLines={(lines) => setExpect("said", some(lines))}
        problem={problem("expect/said")}
        hint="One pattern a line, each found somewhere in its words."
      />
      <LinesField
        label="The agent never says"
        lines={expect.never_said ?? []}
        onLines={(lines) => setExpect("never_said", some(lines))}
        problem={problem("expect/never_said")}
      />
      <div className="Form-pair">
        <LinesField
          label="Tools that it uses"
          isMono
          lines={(expect.called ?? []).map(({ tool }) => tool)}
          onLines={(names) =>
            setExpect("called", some(names.map((tool) => expect.called?.find((one) => one.tool === tool) ?? { tool })))
          }
          problem={problem("expect/called")}
        />
        <LinesField
          label="Tools that it leaves alone"
          isMono
          lines={expect.not_called ?? []}
          onLines={(names) => setExpect("not_called", some(names))}
          problem={problem("expect/not_called")}
        />
      </div>
      <div className="Form-pair">
        <SelectMenu
          form="field"
          label="Outcome"
          chosen={expect.outcome ?? "any"}
          choices={[{ id: "any", word: "any" }, ...outcomes.map((id) => ({ id, word: outcomeWords[id] }))]}
          onChoose={(id) =>
            setExpect(
              "outcome",
              outcomes.find((one) => one === id),
            )
          }
        />
        <Field
          label="Turns, at most"
          type="number"
          value={String(expect.turns_at_most ?? "")}
          onChange={(typed) => setExpect("turns_at_most", typed === "" ? undefined : Number(typed))}
          problem={problem("expect/turns_at_most")}
        />
      </div>
      {problems["expect"] !== undefined && <p className="Field-problem">The call {problems["expect"]}.</p>}
    </div>
  )
}

interface CallerFieldsProps {
  readonly caller: Caller
  readonly onChange: (caller: Caller) => void
  readonly problem: (part: string) => string | undefined
}

const CallerFields = ({ caller, onChange, problem }: CallerFieldsProps) => {
  const lines = linesOf(caller)
  if (kindOf(caller) === "voicemail") {
    return (
      <Field
        label="Its announcement"
        rows={2}
        value={caller.voicemail ?? ""}
        onChange={(voicemail) => onChange({ voicemail })}
        problem={problem("caller/voicemail")}
      />
    )
  }
  if (kindOf(caller) === "persona") {
    return (
      <div className="Form-pair">
        <Field
          label="Who it is"
          rows={3}
          value={caller.persona ?? ""}
          onChange={(persona) => onChange({ ...caller, persona })}
          problem={problem("caller/persona")}
        />
        <Field
          label="What it wants"
          rows={3}
          value={caller.goal ?? ""}
          onChange={(goal) => onChange(put(caller, "goal", goal === "" ? undefined : goal))}
          problem={problem("caller/goal")}
        />
      </div>
    )
  }
  if (lines === undefined) {
    return <p className="quiet">Its steps have conditions, waits or barge-ins: they are written as JSON.</p>
  }
  return (
    <LinesField
      label="What it says"
      lines={lines}
      onLines={(says) => onChange(put(caller, "says", says))}
      problem={problem("caller")}
      hint="One line a turn."
    />
  )
}
